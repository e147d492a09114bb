"""A small page model whose judgements are known."""

import math

import numpy as np

from benchmarks.boosting import DecisionTree, forest_of
from detourage.inference import BoostedTrees, LineNetwork
from detourage.inference.networks import WEIGHT_UNIT, Layer
from detourage.reader.hashed_words import TEXT_NUMBERS
from detourage.reader.page_model import PageModel, trained_model
from detourage.roles import LineRole

COLUMNS = trained_model().network.columns
ROLES: tuple[LineRole, ...] = ("paragraph", "template")
LIKELY = 0.9
WORDS = 5

_STEP = 0.5
_BORDER = math.log1p(WORDS + 0.5)


def _layer(weights: list[list[float]], biases: list[float]) -> Layer:
    def units(
        numbers: list[float] | list[list[float]],
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
        return np.rint(np.array(numbers) / WEIGHT_UNIT).astype(np.int16)

    return Layer(units(weights), units(biases))


def _model() -> PageModel:
    """Return a model that classifies a line as a paragraph if it has more than `WORDS` words."""
    inputs = len(COLUMNS) + 3
    of_words = [[0.0, 0.0] for _ in range(inputs)]
    of_words[COLUMNS.index("words")] = [7.5, 7.5]
    odds = math.log(LIKELY / (1 - LIKELY))
    table = np.zeros((TEXT_NUMBERS, 1), np.int16)
    network = LineNetwork(
        COLUMNS,
        (_BORDER,) * len(COLUMNS),
        (1.0,) * len(COLUMNS),
        (table, table, table),
        (
            # The difference between the two outputs is 0 up to the border, and `_STEP` above it.
            _layer(of_words, [0.0, -_STEP]),
            _layer([[4.0, 0.0], [-4.0, 0.0]], [0.0, 0.0]),
        ),
        (),
        _layer([[0.0, 0.0]] * 4, [0.0, 0.0]),
        (_layer([[odds / (2 * _STEP), 0.0], [0.0, 0.0]], [-odds, 0.0]),),
        (_layer([[0.0]] * 4, [0.0]),),
    )
    return PageModel(ROLES, ("article",), network, trees_with(odds))


def trees_with(odds: float) -> BoostedTrees:
    """Return trees that give lines of more than `WORDS` words the given odds."""
    tree = DecisionTree(
        [COLUMNS.index("words"), -1, -1],
        [WORDS + 0.5, 0, 0],
        [1, 0, 0],
        [2, 0, 0],
        [0, -odds, odds],
    )
    return BoostedTrees(COLUMNS, 0.0, forest_of([tree]))


LONG_LINES = _model()
