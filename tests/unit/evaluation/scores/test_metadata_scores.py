import pytest

from benchmarks.evaluation.scores import (
    Gold,
    Prediction,
    SnippetCounts,
    score_metadata,
    score_snippets,
)
from benchmarks.evaluation.scores.dates import near_day, same_day

GOLD = Gold(id="1", site="s", title="Flu is back", authors=("Ann Lee; Bo Ek",), date="2019-10-16")


def test_perfect_metadata_is_perfect() -> None:
    extracted = Prediction(
        title="Flu is back!", authors=("By Bo Ek and Ann Lee",), date="2019-10-16T08:00:00+02:00"
    )
    assert set(score_metadata(extracted, GOLD).values()) == {100}


def test_near_misses_get_partial_credit() -> None:
    extracted = Prediction(title="The flu is back", authors=("Lee",), date="17 October 2019")
    scores = score_metadata(extracted, GOLD)
    assert scores["title_exact"] == 0
    assert scores["title_f"] == pytest.approx(600 / 7)
    assert scores["authors_exact"] == 0
    assert (scores["authors_p"], scores["authors_r"]) == (100, 50)
    assert (scores["date_exact"], scores["date_near"]) == (0, 100)


@pytest.mark.parametrize(
    "written",
    [
        "2012-01-03",
        "2012-01-03T23:59:00+02:00",
        "20120103",
        "2012年01月03日 11:27",
        "2012/1/3",
        "03.01.2012, 13:31",
        "03/01/2012",
        "01/03/2012",
        "3. Januar 2012 um 18:05 Uhr",
        "Tue Jan 03, 2012 2:03 am",
        "January 3rd, 2012",
        "3 de enero de 2012",
        "3 stycznia 2012",
        "3 января 2012 г.",
        "3 Ιανουαρίου 2012",
        "le 3 janvier 2012 à 10h",
    ],
)
def test_days_are_read_in_any_format(written: str) -> None:
    assert same_day(written, "2012-01-03")


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
