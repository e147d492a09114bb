import numpy as np
import pytest

from benchmarks.boosting import DecisionTree, forest_of
from detourage.inference import BoostedTrees, Features

TREE = DecisionTree([0, -1, -1], [0.5, 0, 0], [1, 0, 0], [2, 0, 0], [0, -2, 3])
MODEL = BoostedTrees(("words", "links"), 0.0, forest_of([TREE]))


def test_columns_are_in_the_order_in_which_they_are_yielded() -> None:
    features = Features.of(iter([("words", [1, 2]), ("links", np.array([True, False]))]))
    assert features.columns == ("words", "links")
    assert features.rows.tolist() == [[1.0, 1.0], [2.0, 0.0]]


def test_duplicate_column_names_are_rejected() -> None:
    with pytest.raises(ValueError, match="same name"):
        Features.of([("words", [1.0]), ("words", [2.0])])


@pytest.mark.parametrize(
    "measured",
    [
        [("links", [1.0]), ("words", [2.0])],
        [("words", [1.0])],
        [("words", [1.0]), ("links", [2.0]), ("images", [0.0])],
        [("words", [1.0]), ("images", [2.0])],
    ],
    ids=["swapped", "missing", "one more", "another"],
)
def test_a_model_rejects_columns_it_was_not_trained_on(
    measured: list[tuple[str, list[float]]],
) -> None:
    with pytest.raises(RuntimeError, match="trained on different columns"):
        MODEL.probabilities(Features.of(measured))


def test_columns_are_chosen_by_name() -> None:
    features = Features.of([("a", [1.0, 2.0]), ("b", [3.0, 4.0]), ("c", [5.0, 6.0])])
    chosen = features.chosen(("c", "a"))
    assert chosen.columns == ("c", "a")
    assert chosen.rows.tolist() == [[5.0, 1.0], [6.0, 2.0]]
    with pytest.raises(RuntimeError, match="'d'"):
        features.chosen(("a", "d"))
