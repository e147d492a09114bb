"""Scores of metadata and comments."""

import pytest

from benchmarks.evaluation.scores import (
    PRF,
    Comment,
    Gold,
    Prediction,
    SnippetCounts,
    comment_scores,
    score_comments,
    score_metadata,
    score_snippets,
)
from benchmarks.evaluation.scores.dates import near_day, same_day

GOLD = Gold(id="1", site="s", title="Flu is back", authors=("Ann Lee; Bo Ek",), date="2019-10-16")


def test_correct_metadata_scores_100() -> None:
    extracted = Prediction(
        title="Flu is back!", authors=("By Bo Ek and Ann Lee",), date="2019-10-16T08:00:00+02:00"
    )
    assert set(score_metadata(extracted, GOLD).values()) == {100}


def test_nearly_correct_metadata_gets_partial_credit() -> None:
    extracted = Prediction(title="The flu is back", authors=("Lee",), date="17 October 2019")
    scores = score_metadata(extracted, GOLD)
    assert scores["title_exact"] == 0
    assert scores["title_f"] == pytest.approx(600 / 7)
    assert scores["authors_exact"] == 0
    assert (scores["authors_p"], scores["authors_r"]) == (100, 50)
    assert (scores["date_exact"], scores["date_near"]) == (0, 100)


@pytest.mark.parametrize(
    "date",
    [
        *("2012-01-03", "2012-01-03T23:59:00+02:00", "20120103", "2012年01月03日 11:27"),
        *("2012/1/3", "03.01.2012, 13:31", "03/01/2012", "01/03/2012"),
        *("3. Januar 2012 um 18:05 Uhr", "Tue Jan 03, 2012 2:03 am", "January 3rd, 2012"),
        *("3 de enero de 2012", "3 stycznia 2012", "3 января 2012 г.", "3 Ιανουαρίου 2012"),
        "le 3 janvier 2012 à 10h",
    ],
)
def test_days_are_read_in_any_format(date: str) -> None:
    assert same_day(date, "2012-01-03")


def test_a_gold_date_may_be_a_month_or_year() -> None:
    assert same_day("2018-05-06", "2018")
    assert same_day("2018-05-06", "2018-5")
    assert not same_day("2018-06-06", "2018-5")
    assert not same_day("2018", "2018-05-06")
    assert near_day("2018-12-31", "2019")
    assert not near_day("2018-12-30", "2019")


def test_snippets_must_and_must_not_be_in_the_text() -> None:
    counts = score_snippets(
        "Flu is  back.\nDoctors worry. Share", ["is back. Doctors", "cough"], ["Share", "Cookies"]
    )
    assert counts == SnippetCounts(kept=1, lost=1, let_in=1, left_out=1)
    assert counts.accuracy == 50
    assert (counts.prf.precision, counts.prf.recall) == (50, 50)
    assert (counts + counts).kept == 2
    assert SnippetCounts().accuracy == 100


THREAD = (
    Comment("I think the flu is overrated by the press", "Ann", "3 January 2012"),
    Comment("You would not say so in a hospital bed", "Bo", "2012-01-04T10:00:00Z", parent=0),
    Comment("Agreed with Bo, ask the nurses", "Cy", None, parent=1),
    Comment("+1", "Di", "5 hours ago"),
)


def test_a_thread_scores_100_against_itself() -> None:
    score = score_comments(THREAD, THREAD)
    assert score.records == PRF(100, 100, 100)
    assert score.text_f1 == score.authors == score.dates == score.parents == score.replies == 100
    assert score.good


def test_finding_no_comments_is_right_if_the_gold_record_has_none() -> None:
    assert score_comments((), ()).records == PRF(100, 100, 100)
    missing = score_comments((), THREAD)
    assert missing.records == PRF(0, 0, 0)
    assert missing.text_f1 is missing.authors is missing.parents is None
    assert not missing.good
    assert score_comments(THREAD, ()).records == PRF(0, 0, 0)


def test_badly_trimmed_and_unrelated_records_lower_the_score() -> None:
    found = [
        Comment("Ann 3 January 2012 Reply Share I think the flu is overrated by the press"),
        Comment("Subscribe to our letter"),
    ]
    score = score_comments(found, THREAD)
    assert score.records == PRF.of(1, 2, 4)
    assert score.text_f1 is not None
    assert 50 < score.text_f1 < 100
    assert score.authors == score.dates == 0


def test_parents_are_compared_via_the_matching() -> None:
    found = [
        Comment("Log in to comment"),
        Comment(THREAD[0].text),
        Comment(THREAD[1].text, parent=1),
        Comment(THREAD[2].text, parent=1),
        Comment(THREAD[3].text, parent=0),
    ]
    score = score_comments(found, THREAD)
    assert score.parents == 50
    assert score.replies == 50


def test_names_and_days_may_be_written_differently() -> None:
    found = [
        Comment(THREAD[0].text, "ANN", "2012-01-03"),
        Comment(THREAD[1].text, "Ann", "Jan 4, 2012 at 10:00"),
    ]
    score = score_comments(found, THREAD)
    assert score.authors == 50
    assert score.dates == 100


def test_a_page_is_scored_by_the_comments_of_its_gold_record() -> None:
    one_by_one = comment_scores(THREAD, Gold("1", "a.example", comments=THREAD))
    assert one_by_one["comments_f"] == one_by_one["comments_words_f"] == 100
    assert one_by_one["comments_good"] == 100
    together = Gold("1", "a.example", comment_text="I think the flu is overrated")
    assert comment_scores(THREAD[:1], together) == {"comments_words_f": pytest.approx(80)}
    assert comment_scores(THREAD, Gold("1", "a.example")) == {}
