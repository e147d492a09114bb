"""Boosted trees that distinguish several classes."""

import numpy as np
import pytest

from worker.inference import DecisionTree, Features
from worker.inference.classes import ClassTrees

FEATURES = Features.of([("length", [1.0, 9.0])])


def step(below: float, above: float) -> DecisionTree:
    """Return a tree that tests whether the length is at most 5."""
    return DecisionTree([0, -1, -1], [5.0, 0.0, 0.0], [1, 0, 0], [2, 0, 0], [0.0, below, above])


MODEL = ClassTrees(("length",), ("short", "long", "odd"), (0.0, 0.0, -9.0), (
    (step(2.0, -2.0),), (step(-2.0, 2.0),), ()
))  # fmt: skip


def test_probabilities_are_the_softmax_of_the_sums() -> None:
    found = MODEL.probabilities(FEATURES)
    expected = np.exp([[2.0, -2.0, -9.0], [-2.0, 2.0, -9.0]])
    assert found == pytest.approx(expected / expected.sum(axis=1, keepdims=True))


def test_a_serialised_model_gives_the_same_results() -> None:
    again = ClassTrees.from_parameters(MODEL.to_parameters())
    assert again == MODEL


def test_no_rows_have_no_probabilities() -> None:
    empty = Features(("length",), np.empty((0, 1), dtype=np.float32))
    assert MODEL.probabilities(empty).shape == (0, 3)


def test_other_columns_are_rejected() -> None:
    with pytest.raises(RuntimeError, match="train it again"):
        MODEL.probabilities(Features.of([("width", [1.0])]))
