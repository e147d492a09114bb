import pytest

from benchmarks.evaluation.scores import PRF, Comment, Gold, comment_scores, score_comments

THREAD = (
    Comment("I think the flu is overrated by the press", "Ann", "3 January 2012"),
    Comment("You would not say so in a hospital bed", "Bo", "2012-01-04T10:00:00Z", parent=0),
    Comment("Agreed with Bo, ask the nurses", "Cy", None, parent=1),
    Comment("+1", "Di", "5 hours ago"),
)


def test_a_thread_is_perfect_against_itself() -> None:
    score = score_comments(THREAD, THREAD)
    assert score.records == PRF(100, 100, 100)
    assert score.text_f1 == score.authors == score.dates == score.parents == score.replies == 100
    assert score.good


def test_no_comments_are_correct_if_the_gold_record_has_none() -> None:
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
