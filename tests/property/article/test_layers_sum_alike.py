"""The native code and NumPy compute the same activations, however large these are."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detourage.inference import _layers
from detourage.inference.networks import Layer
from tests.property.article import plain_layers

Numbers = npt.NDArray[np.int32]
Weights = npt.NDArray[np.int16]

MOST = 1 << 20
SIZES = st.integers(1, 20)
LARGEST = st.sampled_from([1, 1_000, 32_767, 32_768, MOST])
WEIGHTS = st.sampled_from([1, 700, 32_767])
SEEDS = st.integers(0, 2**32 - 1)


def activations(chance: np.random.Generator, largest: int, *shape: int) -> Numbers:
    found = chance.integers(-largest, largest + 1, shape).astype(np.int32)
    found.flat[0] = largest
    return found


def weights(chance: np.random.Generator, largest: int, *shape: int) -> Weights:
    return chance.integers(-largest, largest + 1, shape).astype(np.int16)


def plain_outputs(rows: Numbers, layer: Layer, lowest: int) -> list[list[int]]:
    """Return the outputs of a layer, computed with Python integers and rounded half to even."""
    outputs = list(zip(layer.weights.T.tolist(), layer.biases.tolist(), strict=True))

    def output(row: list[int], column: list[int], bias: int) -> int:
        found = round_half_even(sum(map(int.__mul__, row, column)) + 1024 * bias)
        return min(max(found, lowest), MOST)

    return [[output(row, *each) for each in outputs] for row in rows.tolist()]


def round_half_even(products: int) -> int:
    below, rest = divmod(products, 4096)
    return below + (rest > 2048 or (rest == 2048 and below % 2 == 1))


@given(SIZES, SIZES, SIZES, LARGEST, WEIGHTS, st.sampled_from([0, -MOST]), SEEDS)
def test_linear_layers_equal_those_of_numpy(
    count: int, inputs: int, outputs: int, largest: int, heaviest: int, lowest: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    rows = activations(chance, largest, count, inputs)
    layer = Layer(weights(chance, heaviest, inputs, outputs), weights(chance, heaviest, outputs))
    given_ = (rows, inputs, layer.in_blocks, layer.biases, lowest)
    found = np.frombuffer(_layers.linear(*given_), dtype=np.int32).reshape(count, outputs)
    assert found.tolist() == plain_outputs(rows, layer, lowest)
    assert plain_layers.linear(*given_) == _layers.linear(*given_)


@given(SIZES, st.integers(1, 20), st.integers(1, 30), LARGEST, WEIGHTS, SEEDS)
def test_convolutions_equal_those_of_numpy(
    count: int, width: int, dilation: int, largest: int, heaviest: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    rows = activations(chance, largest, count, width)
    scales, shifts, biases = (weights(chance, heaviest, width) for _ in range(3))
    layer = Layer(weights(chance, heaviest, 3 * width, width), biases)
    given_ = (rows, scales, shifts, layer.in_blocks, biases, dilation)
    assert _layers.convolution(*given_) == plain_layers.convolution(*given_)


@given(SIZES, st.integers(0, 9), st.integers(1, 20), st.integers(1, 9), WEIGHTS, SEEDS)
def test_means_of_vectors_equal_those_of_numpy(
    count: int, words: int, known: int, size: int, heaviest: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    numbers = chance.integers(0, known, (count, words)).astype(np.int32)
    table = weights(chance, heaviest, known, size)
    given_ = (numbers, table, count, size)
    assert _layers.means(*given_) == plain_layers.means(*given_)


def test_inconsistent_shapes_are_rejected() -> None:
    chance = np.random.default_rng(1)
    rows, biases = activations(chance, 9, 3, 4), weights(chance, 9, 5)
    blocks = Layer(weights(chance, 9, 4, 5), biases).in_blocks
    for inputs in (0, -1, 7, 2**62):
        with pytest.raises(ValueError, match="invalid layer"):
            _layers.linear(rows, inputs, blocks, biases, 0)
    with pytest.raises(ValueError, match="invalid layer"):
        _layers.linear(rows, 4, blocks[:, 1:].copy(), biases, 0)
    for dilation in (0, -1, 2**62):
        with pytest.raises(ValueError, match="invalid convolution"):
            _layers.convolution(rows, biases[:4], biases[:4], blocks, biases[:4], dilation)
    with pytest.raises(IndexError, match="out of range"):
        _layers.means(np.array([[7]], dtype=np.int32), biases[:4], 1, 2)
    with pytest.raises(ValueError, match="different numbers of words"):
        _layers.means(rows, biases[:4], 5, 2)
