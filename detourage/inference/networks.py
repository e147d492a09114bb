"""Trained convolutional network over the lines of a page.

All terms of a sum are multiples of the same power of two, and they are few and small enough for
every sum to be exact. The outputs are therefore the same on every machine, regardless of the order
of additions. Activations between layers are integers in units of `ACTIVATION_UNIT`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.inference import _layers
from detourage.inference.features import Features, Rows
from detourage.inference.files import decoded, encoded

WEIGHT_UNIT: Final = 2.0**-12
"""Unit of the weights, which are stored in 16 bits."""

ACTIVATION_UNIT: Final = 2.0**-10
"""Unit of the activations between layers."""

MAX_ACTIVATION: Final = 2.0**10
"""Maximum activation between layers. With weights below 8 and fewer than 4,096 inputs, no sum in a
layer needs more than 53 bits."""

_MOST: Final = int(MAX_ACTIVATION / ACTIVATION_UNIT)

MAX_INPUT: Final = 4.0
"""Maximum magnitude of inputs in standard deviations; larger inputs are clipped."""

EPSILON: Final = 1e-5
"""Constant added to variances, which may be 0."""

KERNEL: Final = 3
"""Number of lines covered by a convolution: the line itself and one on each side."""

BLOCK: Final = 16
"""Number of outputs computed together by the native code."""

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Layer:
    """A linear layer with parameters in units of `WEIGHT_UNIT`.

    `weights` have the shape (inputs, outputs), and `biases` (outputs,).
    """

    weights: Weights
    biases: Weights

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the layer with the parameters from `to_parameters`."""
        return cls(decoded(parameters["weights"], "i2"), decoded(parameters["biases"], "i2"))

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters, ready for JSON."""
        return {"weights": encoded(self.weights, "i2"), "biases": encoded(self.biases, "i2")}

    def __call__(self, inputs: Numbers) -> Numbers:
        """Return the outputs for the given rows."""
        return self._outputs(inputs, -_MOST)

    def rectified(self, inputs: Numbers) -> Numbers:
        """Return the rectified outputs for the given rows."""
        return self._outputs(inputs, 0)

    def _outputs(self, inputs: Numbers, lowest: int) -> Numbers:
        rows, size = inputs.shape
        answer = _layers.linear(inputs, size, self.in_blocks, self.biases, lowest)
        return np.frombuffer(answer, dtype=np.int32).reshape(rows, len(self.biases))

    @cached_property
    def in_blocks(self) -> Weights:
        """The weights in the layout expected by the native code, shape (blocks, pairs, `BLOCK`, 2).

        Outputs are divided into blocks, and inputs into pairs; both are padded with zeros.
        """
        inputs, outputs = self.weights.shape
        padded = np.pad(self.weights, ((0, -inputs % 2), (0, -outputs % BLOCK)))
        pairs = padded.reshape(len(padded) // 2, 2, -1, BLOCK)
        return np.ascontiguousarray(pairs.transpose(2, 0, 3, 1))


@dataclass(frozen=True, eq=False)
class Convolution:
    """A residual layer over `KERNEL` lines, with layer normalisation (Ba et al. 2016).

    Normalised activations are multiplied by `scales`, and `shifts` are added, both in units of
    `WEIGHT_UNIT`. The inputs of the linear `layer` are the activations of lines that are `dilation`
    lines apart, from first to last.
    """

    scales: Weights
    shifts: Weights
    layer: Layer
    dilation: int

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the layer with the parameters from `to_parameters`."""
        return cls(
            decoded(parameters["scales"], "i2"),
            decoded(parameters["shifts"], "i2"),
            Layer.from_parameters(parameters["layer"]),
            int(parameters["dilation"]),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters, ready for JSON."""
        return {
            "scales": encoded(self.scales, "i2"),
            "shifts": encoded(self.shifts, "i2"),
            "layer": self.layer.to_parameters(),
            "dilation": self.dilation,
        }

    def __call__(self, activations: Numbers) -> Numbers:
        """Return the activations of a page's lines after this layer."""
        layer = self.layer
        answer = _layers.convolution(
            activations, self.scales, self.shifts, layer.in_blocks, layer.biases, self.dilation
        )
        return np.frombuffer(answer, dtype=np.int32).reshape(activations.shape)


class Outputs(NamedTuple):
    """Outputs of a network, as multiples of `ACTIVATION_UNIT`.

    `of_lines` has the shape (lines, outputs), `of_page` the shape (outputs,).
    """

    of_lines: Floats
    of_page: Floats


@dataclass(frozen=True, eq=False)
class LineNetwork:
    """A classifier of a page's lines, each in its context, and of the page as a whole.

    The `inner` layers process single lines, and dilated convolutions (Yu and Koltun 2016) process
    their surroundings. After the first half of the convolutions, the output of the layer `whole`
    over the page's mean and maximum is added to each line. After the last convolution, the `page`
    layers read the mean and the maximum, and the `outer` layers read the lines; the last layer of
    each yields one logit per class. `means` and `deviations` are those of the columns' logarithms
    (see `standardised`). `tables` are embeddings of hashed words in units of `WEIGHT_UNIT`, shape
    (words, size), one for each kind of words; the first row is zero.
    """

    KIND: ClassVar[str] = "convolutional network over lines"

    columns: tuple[str, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    tables: tuple[Weights, ...]
    inner: tuple[Layer, ...]
    convolutions: tuple[Convolution, ...]
    whole: Layer
    outer: tuple[Layer, ...]
    page: tuple[Layer, ...]

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build a network from the parameters returned by `to_parameters`."""
        return cls(
            tuple(parameters["columns"]),
            tuple(parameters["means"]),
            tuple(parameters["deviations"]),
            tuple(decoded(table, "i2") for table in parameters["tables"]),
            tuple(map(Layer.from_parameters, parameters["inner"])),
            tuple(map(Convolution.from_parameters, parameters["convolutions"])),
            Layer.from_parameters(parameters["whole"]),
            tuple(map(Layer.from_parameters, parameters["outer"])),
            tuple(map(Layer.from_parameters, parameters["page"])),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters, ready for JSON."""
        return {
            "columns": list(self.columns),
            "means": list(self.means),
            "deviations": list(self.deviations),
            "tables": [encoded(table, "i2") for table in self.tables],
            "inner": [layer.to_parameters() for layer in self.inner],
            "convolutions": [layer.to_parameters() for layer in self.convolutions],
            "whole": self.whole.to_parameters(),
            "outer": [layer.to_parameters() for layer in self.outer],
            "page": [layer.to_parameters() for layer in self.page],
        }

    def outputs(self, features: Features, bags: Sequence[Numbers]) -> Outputs:
        """Return the outputs for a page and its lines, of which there must be at least one.

        `bags` has, for each table, the numbers of each line's words, shape (lines, words), padded
        with 0. Raises RuntimeError if the columns differ from those used in training.
        """
        rows = features.rows_for(self.columns)
        inputs = np.rint(
            standardised(rows, np.array(self.means), np.array(self.deviations)) / ACTIVATION_UNIT
        ).astype(np.int32)
        vectors = map(_mean_vectors, self.tables, bags)
        activations = np.ascontiguousarray(np.concatenate([inputs, *vectors], axis=1))
        for layer in self.inner:
            activations = layer.rectified(activations)
        half = len(self.convolutions) // 2
        for convolution in self.convolutions[:half]:
            activations = convolution(activations)
        context = self.whole.rectified(_mean_and_maximum(activations))
        activations = np.minimum(activations + context, _MOST)
        for convolution in self.convolutions[half:]:
            activations = convolution(activations)
        of_page = _in_floats(self.page, _mean_and_maximum(activations))
        return Outputs(_in_floats(self.outer, activations), of_page[0])


def _mean_and_maximum(activations: Numbers) -> Numbers:
    """Return the mean and the maximum over the lines, as a single row."""
    mean = np.rint(activations.sum(axis=0) / len(activations)).astype(np.int32)
    return np.concatenate([mean, activations.max(axis=0)])[None, :]


def _in_floats(layers: Sequence[Layer], activations: Numbers) -> Floats:
    """Return the outputs of layers of which only the last one is not rectified."""
    *hidden, last = layers
    for layer in hidden:
        activations = layer.rectified(activations)
    return last(activations).astype(np.float64) * ACTIVATION_UNIT


def logarithms(rows: Rows) -> Floats:
    """Return, for each number, its sign times the logarithm of 1 plus its magnitude."""
    wide = rows.astype(np.float64)
    return np.copysign(np.log1p(np.abs(wide)), wide)


def standardised(rows: Rows, means: Floats, deviations: Floats) -> Floats:
    """Standardise columns by the means and standard deviations of their logarithms."""
    return np.clip((logarithms(rows) - means) / deviations, -MAX_INPUT, MAX_INPUT)


def _mean_vectors(table: Weights, bag: Numbers) -> Numbers:
    rows, size = len(bag), table.shape[1]
    answer = _layers.means(np.ascontiguousarray(bag), table, rows, size)
    return np.frombuffer(answer, dtype=np.int32).reshape(rows, size)
