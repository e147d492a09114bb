"""Network layers in NumPy: reference implementations for the native code."""

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

Numbers = npt.NDArray[np.int32]
Weights = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float64]

MOST: Final = 1 << 20
"""Maximum absolute value of an activation."""

EPSILON: Final = 1e-5 * (1 << 20)
"""Value added to every variance, so that no variance is 0."""

ACTIVATIONS_PER_WEIGHT: Final = 4
BIAS: Final = 1 << 10
PRODUCTS_PER_ACTIVATION: Final = 1 << 12
"""Number of product units per activation unit. A weight unit is a quarter of an activation unit,
and the unit of products is finer still."""


def linear(rows: Numbers, inputs: int, weights: Weights, biases: Weights, lowest: int) -> bytes:
    """Return the outputs of a linear layer as int32 bytes; no output is below `lowest`.

    The weights have the layout of `detourage.inference.networks.Layer.in_blocks`.
    """
    pairs = weights.transpose(1, 3, 0, 2)
    by_input = pairs.reshape(2 * len(pairs), -1)[:inputs, : len(biases)].astype(np.float64)
    # The matrices are too small to benefit from several threads.
    with _controller().limit(limits=1):
        sums = rows.astype(np.float64) @ by_input
    sums += biases.astype(np.float64) * BIAS
    return _nearest(sums / PRODUCTS_PER_ACTIVATION, lowest).tobytes()


def convolution(
    rows: Numbers,
    scales: Weights,
    shifts: Weights,
    weights: Weights,
    biases: Weights,
    dilation: int,
) -> bytes:
    """Return the rows, as int32 bytes, after a residual convolution over neighbouring rows.

    `scales` and `shifts` are applied to the normalised rows. `dilation` is the distance between
    combined rows, in rows. The weights and biases are as in `linear`.
    """
    width = rows.shape[1]
    wide = rows.astype(np.float64)
    means = wide.sum(axis=1, keepdims=True) / width
    variances = (wide**2).sum(axis=1, keepdims=True) / width - means**2
    normal = (wide - means) / np.sqrt(np.maximum(variances, 0.0) + EPSILON)
    normal = _nearest((normal * scales + shifts) / ACTIVATIONS_PER_WEIGHT, -MOST)
    padded = np.pad(normal, ((dilation, dilation), (0, 0)))
    beside = [padded[start : start + len(rows)] for start in (0, dilation, 2 * dilation)]
    answer = linear(np.concatenate(beside, axis=1), 3 * width, weights, biases, 0)
    changes: Numbers = np.frombuffer(answer, dtype=np.int32).reshape(rows.shape)
    changed: Numbers = np.clip(rows + changes, -MOST, MOST).astype(np.int32)
    return changed.tobytes()


def means(numbers: Numbers, table: Weights, rows: int, size: int) -> bytes:
    """Return the mean word vector of each row, as int32 bytes; word number 0 means no word.

    The last two arguments are needed only by the native code and are not used here.
    """
    del rows, size
    counts = np.maximum(1, np.count_nonzero(numbers, axis=1))
    sums: Floats = table[numbers].sum(axis=1, dtype=np.float64)
    return _nearest(sums / counts[:, None] / ACTIVATIONS_PER_WEIGHT, -MOST).tobytes()


def _nearest(values: Floats, lowest: int) -> Numbers:
    return np.clip(np.rint(values), lowest, MOST).astype(np.int32)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
