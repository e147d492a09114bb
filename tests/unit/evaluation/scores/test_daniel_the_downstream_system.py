import json
import math
from pathlib import Path

import pytest

from benchmarks.evaluation.scores import (
    PRF,
    DiseaseWatch,
    Event,
    TextBlock,
    load_diseases,
    marked_document,
    score_task,
    unmarked_document,
)
from benchmarks.evaluation.scores.daniel import zones
from benchmarks.evaluation.scores.records import HEADING, PARAGRAPH

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


def test_without_a_repeated_name_there_is_no_event() -> None:
    assert WATCH.event("") is None
    assert WATCH.event("<p>5<p>6<p>7") is None
    assert DiseaseWatch({"xyz": "Xyz"}).event("<p>aaa<p>bbb<p>ccc") is None


def test_a_name_in_a_single_zone_is_not_repeated() -> None:
    once = WATCH.event("<p>Weather<p>dengue, dengue and dengue<p>Sports<p>Markets<p>Other")
    assert once is None or once.name != "dengue" or once.score < 0.5


def test_a_partial_name_is_scored_by_its_share() -> None:
    # "yellow feve" has 11 of the name's 12 characters, and occurs in the first two zones.
    found = event("The yellow fevers", "More yellow fevers", "Rain.", "End.", "Stop.")
    assert found.name == "yellow fever"
    assert found.score == 0.99
    inflected = event("The yellow fevex", "More yellow fevey", "Rain.", "End.", "Stop.")
    assert inflected.score == pytest.approx(11 / 12)
    assert inflected.relevant


def test_a_different_first_letter_costs_a_tenth() -> None:
    watch = DiseaseWatch({"zdengue": "Dengue"})
    found = event("dengue there", "dengue here", "Rain", "End", watch=watch)
    assert found.score == pytest.approx(6 / 7 - 0.1)


def test_the_first_letter_may_be_capitalised() -> None:
    watch = DiseaseWatch({"Dengue fever": "Dengue"})
    found = event("dengue fever", "Dengue fever", "Rain", "End", watch=watch)
    # "Dengue fever" occurs in only one zone. " fever" and "engue fever" occur in both, and "engue
    # fever" is the better match.
    assert found.score == pytest.approx(11 / 12 - 0.1)


def test_a_disease_far_from_both_ends_scores_lower() -> None:
    def score(before: int, between: int, after: int) -> float:
        filler = ["Nothing happened here today, we hear."]
        return event(*filler * before, "dengue", *filler * between, "dengue", *filler * after).score

    # Zones 3 and 4 of 14 are 3 and 4 zones from the nearer end, and neither of them is the
    # headline.
    assert score(3, 0, 9) == pytest.approx(0.99 ** (1 + 3 * math.log(4)) - 0.1)
    assert score(1, 0, 11) == score(11, 0, 1) == score(0, 5, 5) == 0.99


def test_the_largest_name_wins_a_tie() -> None:
    watch = DiseaseWatch({"flu": "Flu", "pox": "Pox"})
    found = event("flu and pox", "flu and pox", "Rain", "End", watch=watch)
    assert found.disease == "Pox"


def test_zones_are_paragraphs_or_else_lines() -> None:
    assert zones("<p>a</p>\n<p>b</p>\n<p>c</p>") == ["a</p>\n", "b</p>\n", "c</p>"]
    assert zones("a\n\nb\nc") == ["a", "b", "c"]


def test_a_text_without_zones_is_cut_into_three() -> None:
    sentences = "One is. Two is. Three is. Four is. Five is. Six"
    assert zones(sentences) == [sentences[:15], sentences[15:30], sentences[30:]]
    assert zones("Title\n" + sentences) == ["Title", sentences[:23], sentences[23:]]
    short = "Title\nOne is. Two is."
    assert zones(short) == [short]
    assert zones("") == [""]


def test_a_short_text_needs_a_name_only_once() -> None:
    start = WATCH.event("HIV again. Nothing else.")
    assert start == Event("HIV", "HIV", 0.99)
    later = WATCH.event("We speak of HIV. Nothing else.")
    assert later is not None
    assert later.disease == "HIV"
    assert 0.85 < later.score < 0.9


def test_missing_paragraph_marks_change_the_result() -> None:
    blocks = [
        TextBlock(HEADING, "New  dengue alarm"),
        TextBlock(PARAGRAPH, "The island reports dengue. It rains."),
        TextBlock(PARAGRAPH, "All is well. All is calm. " * 9),
        TextBlock(PARAGRAPH, "Good night."),
    ]
    marked, unmarked = marked_document(blocks), unmarked_document(blocks)
    assert marked.startswith("<p>New dengue alarm</p>\n<p>The island")
    assert "\n" not in unmarked
    with_marks, without = WATCH.event(marked), WATCH.event(unmarked)
    assert with_marks == Event("Dengue", "dengue", 0.99)
    # Headline and lead now form a single zone, and repetitions within a zone do not count.
    assert without is None or not without.relevant


def test_the_task_is_scored_by_documents_and_by_pairs() -> None:
    dengue, flu = Event("Dengue", "dengue", 0.9), Event("Flu", "flu", 0.9)
    doubtful = Event("Flu", "flu", 0.79)
    reference = {"1": dengue, "2": flu, "3": doubtful, "4": None}
    found = {"1": dengue, "2": dengue, "3": flu, "other": flu}
    score = score_task(found, reference)
    assert score.documents == PRF.of(2, 3, 2)
    assert score.pairs == PRF.of(1, 3, 2)
    assert score_task(reference, reference).pairs == PRF(100, 100, 100)


def test_diseases_are_read_by_language(tmp_path: Path) -> None:
    (tmp_path / "diseases.json").write_text(json.dumps({"pl": {"Grypa": "Flu"}}))
    assert load_diseases(tmp_path / "diseases.json") == {"pl": {"Grypa": "Flu"}}
