"""The line network sees the whole page, and its results do not depend on summation order."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from detourage.inference import Features, LineNetwork
from detourage.inference.networks import ACTIVATION_UNIT, Convolution, Layer, Numbers, Weights

COLUMNS = ("words", "links", "depth")
WIDTH = 8
WORDS = 20
DILATIONS = (1, 2)
CHANCE = np.random.default_rng(21)


def weights(*shape: int) -> Weights:
    return CHANCE.integers(-3000, 3000, shape).astype(np.int16)


def layer(inputs: int, outputs: int) -> Layer:
    return Layer(weights(inputs, outputs), weights(outputs))


def table() -> Weights:
    vectors = weights(WORDS, 4)
    vectors[0] = 0
    return vectors


NETWORK = LineNetwork(
    COLUMNS,
    (1.0, 0.5, 2.0),
    (1.0, 0.25, 3.0),
    (table(), table()),
    (layer(len(COLUMNS) + 8, WIDTH), layer(WIDTH, WIDTH)),
    tuple(
        Convolution(weights(WIDTH), weights(WIDTH), layer(3 * WIDTH, WIDTH), dilation)
        for dilation in DILATIONS
    ),
    layer(2 * WIDTH, WIDTH),
    (layer(WIDTH, WIDTH), layer(WIDTH, 2)),
    (layer(2 * WIDTH, WIDTH), layer(WIDTH, 3)),
)


def page(lines: int) -> tuple[Features, Sequence[Numbers]]:
    rows = (CHANCE.random((lines, len(COLUMNS))) * 90).astype(np.float32)
    bags = [CHANCE.integers(0, WORDS, (lines, 3)).astype(np.int32) for _ in range(2)]
    return Features(COLUMNS, rows), bags


def without_reach(network: LineNetwork) -> LineNetwork:
    """Return a network that ignores the neighbours of a line but still sees the whole page."""
    silent = [replace(each, layer=layer_of_zeros(3 * WIDTH)) for each in network.convolutions]
    return replace(network, convolutions=tuple(silent))


def layer_of_zeros(inputs: int) -> Layer:
    return Layer(np.zeros((inputs, WIDTH), np.int16), np.zeros(WIDTH, np.int16))


def test_a_network_survives_serialisation() -> None:
    features, bags = page(30)
    written = json.dumps(NETWORK.to_parameters())
    read = LineNetwork.from_parameters(json.loads(written))
    assert (read.outputs(features, bags).of_lines == NETWORK.outputs(features, bags).of_lines).all()
    assert json.dumps(read.to_parameters()) == written


def test_the_order_of_summation_does_not_matter() -> None:
    features, bags = page(40)
    first, second = NETWORK.inner
    order = CHANCE.permutation(WIDTH)
    shuffled = Layer(first.weights[:, order], first.biases[order])
    after = Layer(second.weights[order], second.biases)
    same = replace(NETWORK, inner=(shuffled, after))
    expected = NETWORK.outputs(features, bags).of_lines
    assert (same.outputs(features, bags).of_lines == expected).all()
    assert (expected % ACTIVATION_UNIT == 0).all()


def changed_lines(network: LineNetwork, place: int, lines: int) -> list[int]:
    """Return which lines' log odds change when the words of one line change."""
    features, bags = page(lines)
    before = network.outputs(features, bags).of_lines
    other = [bag.copy() for bag in bags]
    other[1][place] = (other[1][place] + 7) % WORDS
    after = network.outputs(features, other).of_lines
    return np.flatnonzero((before != after).any(axis=1)).tolist()


def test_neighbouring_lines_are_considered() -> None:
    blind = replace(NETWORK, whole=layer_of_zeros(2 * WIDTH))
    changed = changed_lines(blind, 20, 41)
    assert 20 in changed
    assert len(changed) > 1
    assert set(changed) <= set(range(20 - sum(DILATIONS), 20 + sum(DILATIONS) + 1))
    assert changed_lines(without_reach(blind), 20, 41) == [20]


def test_every_line_sees_the_whole_page() -> None:
    assert len(changed_lines(without_reach(NETWORK), 0, 41)) > 2 * sum(DILATIONS) + 1


def test_lines_without_words_are_accepted() -> None:
    features, bags = page(3)
    none: list[npt.NDArray[np.int32]] = [np.zeros_like(bag) for bag in bags]
    assert np.isfinite(NETWORK.outputs(features, none).of_lines).all()


def test_the_page_has_outputs_of_its_own() -> None:
    features, bags = page(9)
    of_lines, of_page = NETWORK.outputs(features, bags)
    assert (of_lines.shape, of_page.shape) == ((9, 2), (3,))
    other = Features(COLUMNS, features.rows[::-1] * 2)
    assert (NETWORK.outputs(other, bags).of_page != of_page).any()


def test_very_large_features_give_finite_results() -> None:
    features, bags = page(5)
    largest = float(np.finfo(np.float32).max)
    huge = Features(COLUMNS, np.full_like(features.rows, largest))
    assert np.isfinite(NETWORK.outputs(huge, bags).of_lines).all()
    assert np.isfinite(NETWORK.outputs(Features(COLUMNS, -huge.rows), bags).of_lines).all()


def test_other_columns_are_rejected() -> None:
    features, bags = page(5)
    with pytest.raises(RuntimeError, match="trained on different columns"):
        NETWORK.outputs(Features(("words", "depth", "links"), features.rows), bags)
