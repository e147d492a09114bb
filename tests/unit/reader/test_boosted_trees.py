import math

import numpy as np
import pytest

from benchmarks.boosting import DecisionTree, forest_of
from detourage.inference import BoostedTrees, Features

STUMP = DecisionTree(
    column=[1, -1, -1], threshold=[0.5, 0, 0], left=[1, 0, 0], right=[2, 0, 0], value=[0, -2, 3]
)
DEEP = DecisionTree(
    column=[0, -1, 1, -1, -1],
    threshold=[10, 0, 0.25, 0, 0],
    left=[1, 0, 3, 0, 0],
    right=[2, 0, 4, 0, 0],
    value=[0, 0.5, 0, 1.0, -1.0],
)
MODEL = BoostedTrees(("words", "links"), -0.25, forest_of([STUMP, DEEP]))


@pytest.mark.parametrize(
    ("row", "odds"),
    [((10, 0.5), -2 + 0.5), ((10, 0.6), 3 + 0.5), ((11, 0.25), -2 + 1), ((11, 0.6), 3 - 1)],
)
def test_values_up_to_the_threshold_go_left(row: tuple[float, float], odds: float) -> None:
    features = Features(MODEL.columns, np.array([row], dtype=np.float32))
    [found] = MODEL.probabilities(features)
    assert found == pytest.approx(1 / (1 + math.exp(0.25 - odds)))
