import math

import numpy as np
import pytest

from worker.extraction.classification import trained_model
from worker.extraction.evidence import COLUMNS
from worker.learning.trees import BoostedTrees, Tree

STUMP = Tree(
    column=[1, -1, -1], threshold=[0.5, 0, 0], left=[1, 0, 0], right=[2, 0, 0], value=[0, -2, 3]
)
DEEP = Tree(
    column=[0, -1, 1, -1, -1],
    threshold=[10, 0, 0.25, 0, 0],
    left=[1, 0, 3, 0, 0],
    right=[2, 0, 4, 0, 0],
    value=[0, 0.5, 0, 1.0, -1.0],
)
MODEL = BoostedTrees(("words", "links"), -0.25, (STUMP, DEEP))


def logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


@pytest.mark.parametrize(
    ("row", "odds"),
    [((10, 0.5), -2 + 0.5), ((10, 0.6), 3 + 0.5), ((11, 0.25), -2 + 1), ((11, 0.6), 3 - 1)],
)
def test_a_row_goes_left_up_to_the_threshold(row: tuple[float, float], odds: float) -> None:
    [found] = MODEL.probabilities(np.array([row], dtype=np.float32))
    assert found == pytest.approx(logistic(odds - 0.25))


def test_rows_do_not_depend_on_each_other() -> None:
    rows = np.random.default_rng(0).random((50, 2), dtype=np.float32) * 20
    together = MODEL.probabilities(rows)
    assert list(together) == [MODEL.probabilities(row[None])[0] for row in rows]
    assert len(MODEL.probabilities(rows[:0])) == 0


def test_a_model_is_read_as_it_was_written() -> None:
    assert BoostedTrees.from_json(MODEL.to_json()) == MODEL


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"columns": [], "base": 0, "trees": [{}]}'])
def test_a_file_that_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no model|Expecting value"):
        BoostedTrees.from_json(text)


def test_the_shipped_model_weighs_what_is_gathered() -> None:
    model = trained_model()
    assert model.columns == COLUMNS
    assert all(max(tree.column) < len(COLUMNS) for tree in model.trees)
