import numpy as np
import pytest

from benchmarks.boosting import DecisionTree, forest_of
from detourage.comments.candidates import find_candidates
from detourage.comments.certainty import MAX_READ, Certainty, measure_choice, read_choice
from detourage.comments.elements import PageElements
from detourage.html import parse_page
from detourage.inference import BoostedTrees
from tests.unit.comments.comment_pages import NAMES, SAID, URL


def _measured(record: str, count: int = 5) -> dict[str, float]:
    body = "".join(record.format(name=NAMES[n % 5], said=SAID[n % 5], n=n) for n in range(count))
    page = parse_page(f'<html lang="en"><body>{body}</body></html>', URL)
    elements = PageElements.of(page.document)
    candidates = [each for each in find_candidates(elements) if each.signature.name == ".one"]
    probabilities = np.full(len(candidates), 0.5)
    read = read_choice(page, elements, candidates, probabilities)
    return measure_choice(elements, candidates, probabilities, read)


def test_features_describe_the_comments_read() -> None:
    record = '<div class="one"><b class="author">{name}</b><p>{said}</p></div>'
    measured = _measured(record)
    assert measured["with author"] == 1.0
    assert measured["different authors"] == 0.8
    assert measured["with written date"] == 0.0
    assert measured["log odds"] == 0.0
    assert measured["log odds of the second"] < -9.0


def test_only_some_of_many_records_are_read() -> None:
    assert _measured('<p class="one">{n} {said}</p>', MAX_READ + 20)["count"] == np.log(MAX_READ)


def test_columns_must_match_those_of_the_training() -> None:
    certainty = _certainty(DecisionTree([-1], [0], [0], [0], [0]))
    assert certainty.probability({"a": 1.0, "b": 4.0}) == 0.5
    with pytest.raises(RuntimeError, match="trained on different columns"):
        certainty.probability({"b": 4.0, "a": 1.0})


def test_trees_and_regression_have_equal_weight() -> None:
    certainty = _certainty(DecisionTree([0, -1, -1], [2, 0, 0], [1, 0, 0], [2, 0, 0], [0, -3, 1]))
    odds = np.exp([(0.0 - 3.0) / 2, (4.5 + 1.0) / 2])
    found = [certainty.probability({"a": value, "b": 4.0}) for value in (1.0, 4.0)]
    assert found == pytest.approx(odds / (1 + odds))


def _certainty(tree: DecisionTree) -> Certainty:
    return Certainty(
        ("a", "b"), (1.5, -0.25), -0.5, BoostedTrees(("a", "b"), 0.0, forest_of([tree]))
    )
