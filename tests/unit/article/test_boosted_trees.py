import math

import numpy as np
import pytest

from worker.inference import BoostedTrees, DecisionTree, Features

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
MODEL = BoostedTrees(("words", "links"), -0.25, (STUMP, DEEP))


def features(*rows: tuple[float, float]) -> Features:
    return Features(MODEL.columns, np.array(rows, dtype=np.float32).reshape(-1, 2))


def logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


@pytest.mark.parametrize(
    ("row", "odds"),
    [((10, 0.5), -2 + 0.5), ((10, 0.6), 3 + 0.5), ((11, 0.25), -2 + 1), ((11, 0.6), 3 - 1)],
)
def test_values_up_to_the_threshold_go_left(row: tuple[float, float], odds: float) -> None:
    [found] = MODEL.probabilities(features(row))
    assert found == pytest.approx(logistic(odds - 0.25))


def test_rows_do_not_depend_on_each_other() -> None:
    rows = np.random.default_rng(0).random((50, 2), dtype=np.float32) * 20
    together = MODEL.probabilities(features(*rows.tolist()))
    assert list(together) == [MODEL.probabilities(features(row))[0] for row in rows.tolist()]
    assert len(MODEL.probabilities(features())) == 0
