import math

import pytest

from benchmarks.evaluation.scores import PRF, DiseaseWatch, Event, score_task
from benchmarks.evaluation.scores.daniel import zones

WATCH = DiseaseWatch(
    {"dengue": "Dengue", "yellow fever": "Yellow_fever", "HIV": "HIV", "Dengue": "Dengue"}
)


def event(*paragraphs: str, watch: DiseaseWatch = WATCH) -> Event:
    found = watch.event("".join(f"<p>{paragraph}" for paragraph in paragraphs))
    assert found is not None
    return found


def test_a_disease_in_headline_and_lead_is_the_event() -> None:
    found = event("A dengue outbreak", "Officials say dengue is here.", "More rain.", "The end.")
    assert found == Event("Dengue", "dengue", 0.99)
    assert found.relevant


def test_a_partial_name_is_scored_by_its_share() -> None:
    # "yellow feve" has 11 of the name's 12 characters, and occurs in the first two zones.
    found = event("The yellow fevers", "More yellow fevers", "Rain.", "End.", "Stop.")
    assert found.name == "yellow fever"
    assert found.score == 0.99
    inflected = event("The yellow fevex", "More yellow fevey", "Rain.", "End.", "Stop.")
    assert inflected.score == pytest.approx(11 / 12)
    assert inflected.relevant


def test_a_disease_far_from_both_ends_scores_lower() -> None:
    def score(before: int, between: int, after: int) -> float:
        filler = ["Nothing happened here today, we hear."]
        return event(*filler * before, "dengue", *filler * between, "dengue", *filler * after).score

    # Zones 3 and 4 of 14 are 3 and 4 zones from the nearer end; neither is the headline.
    assert score(3, 0, 9) == pytest.approx(0.99 ** (1 + 3 * math.log(4)) - 0.1)
    assert score(1, 0, 11) == score(11, 0, 1) == score(0, 5, 5) == 0.99


def test_zones_are_paragraphs_or_else_lines() -> None:
    assert zones("<p>a</p>\n<p>b</p>\n<p>c</p>") == ["a</p>\n", "b</p>\n", "c</p>"]
    assert zones("a\n\nb\nc") == ["a", "b", "c"]


def test_the_task_is_scored_by_documents_and_by_pairs() -> None:
    dengue, flu = Event("Dengue", "dengue", 0.9), Event("Flu", "flu", 0.9)
    doubtful = Event("Flu", "flu", 0.79)
    reference = {"1": dengue, "2": flu, "3": doubtful, "4": None}
    found = {"1": dengue, "2": dengue, "3": flu, "other": flu}
    score = score_task(found, reference)
    assert score.documents == PRF.of(2, 3, 2)
    assert score.pairs == PRF.of(1, 3, 2)
    assert score_task(reference, reference).pairs == PRF(100, 100, 100)
