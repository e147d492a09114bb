"""A convolutional network over the lines of a page: learnt elsewhere, evaluated here.

All that is summed up are multiples of powers of two, few enough for every sum to be exact: the
outputs are the same on any machine, in whatever order it adds. Layers hand each other activations
as whole numbers, in units of `ACTIVATION_UNIT`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from worker.inference import _layers
from worker.inference.arrays import decoded, encoded
from worker.inference.features import Features, Rows

WEIGHT_UNIT: Final = 2.0**-12
"""What weights are multiples of; they are written down in 16 bits."""

ACTIVATION_UNIT: Final = 2.0**-10
"""What is handed from layer to layer is a multiple of this."""

MAX_ACTIVATION: Final = 2.0**10
"""What is handed from layer to layer is no more than this. With weights below 8 and less than 4,096
inputs no sum of a layer needs more than 53 bits."""

_MOST: Final = int(MAX_ACTIVATION / ACTIVATION_UNIT)

MAX_INPUT: Final = 4.0
"""Standard deviations beyond which a column says no more."""

EPSILON: Final = 1e-5
"""Added to a variance, which may be 0."""

KERNEL: Final = 3
"""Lines that a convolution looks at: one, and one on each side."""

BLOCK: Final = 16
"""Outputs that native code adds up for together."""

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Layer:
    """A linear layer.

    Attributes
    ----------
    weights
        In units of `WEIGHT_UNIT`, shape (inputs, outputs).
    biases
        Likewise, shape (outputs,).
    """

    weights: Weights
    biases: Weights

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the layer with the parameters that `to_parameters` gave."""
        return cls(decoded(parameters["weights"], "i2"), decoded(parameters["biases"], "i2"))

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        return {"weights": encoded(self.weights, "i2"), "biases": encoded(self.biases, "i2")}

    def __call__(self, inputs: Numbers) -> Numbers:
        """Return the outputs of rows."""
        return self._outputs(inputs, -_MOST)

    def rectified(self, inputs: Numbers) -> Numbers:
        """Return the outputs of rows, 0 for those below."""
        return self._outputs(inputs, 0)

    def _outputs(self, inputs: Numbers, lowest: int) -> Numbers:
        rows, size = inputs.shape
        answer = _layers.linear(inputs, size, self.in_blocks, self.biases, lowest)
        return np.frombuffer(answer, dtype=np.int32).reshape(rows, len(self.biases))

    @cached_property
    def in_blocks(self) -> Weights:
        """The weights as native code wants them, shape (blocks, pairs, `BLOCK`, 2).

        Blocks are of outputs, pairs of inputs; zeros stand for what is not there.
        """
        inputs, outputs = self.weights.shape
        padded = np.pad(self.weights, ((0, -inputs % 2), (0, -outputs % BLOCK)))
        pairs = padded.reshape(len(padded) // 2, 2, -1, BLOCK)
        return np.ascontiguousarray(pairs.transpose(2, 0, 3, 1))


@dataclass(frozen=True, eq=False)
class Convolution:
    """A residual layer that looks at `KERNEL` lines, each normalised (Ba et al. 2016).

    Attributes
    ----------
    scales, shifts
        What normalised activations are multiplied by, and what is added, in units of
        `WEIGHT_UNIT`.
    layer
        The linear layer, whose inputs are those of the lines from the first to the last.
    dilation
        How many lines apart they are.
    """

    scales: Weights
    shifts: Weights
    layer: Layer
    dilation: int

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the layer with the parameters that `to_parameters` gave."""
        return cls(
            decoded(parameters["scales"], "i2"),
            decoded(parameters["shifts"], "i2"),
            Layer.from_parameters(parameters["layer"]),
            int(parameters["dilation"]),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        return {
            "scales": encoded(self.scales, "i2"),
            "shifts": encoded(self.shifts, "i2"),
            "layer": self.layer.to_parameters(),
            "dilation": self.dilation,
        }

    def __call__(self, activations: Numbers) -> Numbers:
        """Return the activations of the lines of a page after it."""
        layer = self.layer
        answer = _layers.convolution(
            activations, self.scales, self.shifts, layer.in_blocks, layer.biases, self.dilation
        )
        return np.frombuffer(answer, dtype=np.int32).reshape(activations.shape)


@dataclass(frozen=True, eq=False)
class LineNetwork:
    """A classifier of the lines of a page, each beside those before and after it.

    Two layers look at a line alone, dilated convolutions (Yu and Koltun 2016) at those around it.
    After the first half of these each line is told the mean and the maximum over the page.

    Attributes
    ----------
    columns
        Names of the columns, in their order.
    means, deviations
        Of each column, large numbers by their logarithm, see `standardised`.
    tables
        Vectors of hashed words in units of `WEIGHT_UNIT`, shape (words, size): for each kind of
        words a table, whose first row is zero.
    inner
        The layers that look at a line alone.
    convolutions
        Those that look at several.
    whole
        The layer that looks at the page.
    outer
        The layers that come to the outputs, of which there is one log odds, or a logit a class.
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

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the network with the parameters that `to_parameters` gave."""
        return cls(
            tuple(parameters["columns"]),
            tuple(parameters["means"]),
            tuple(parameters["deviations"]),
            tuple(decoded(table, "i2") for table in parameters["tables"]),
            tuple(map(Layer.from_parameters, parameters["inner"])),
            tuple(map(Convolution.from_parameters, parameters["convolutions"])),
            Layer.from_parameters(parameters["whole"]),
            tuple(map(Layer.from_parameters, parameters["outer"])),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        return {
            "columns": list(self.columns),
            "means": list(self.means),
            "deviations": list(self.deviations),
            "tables": [encoded(table, "i2") for table in self.tables],
            "inner": [layer.to_parameters() for layer in self.inner],
            "convolutions": [layer.to_parameters() for layer in self.convolutions],
            "whole": self.whole.to_parameters(),
            "outer": [layer.to_parameters() for layer in self.outer],
        }

    def log_odds(self, features: Features, bags: Sequence[Numbers]) -> Floats:
        """Return the log odds of the lines of a page: the first of the `outputs`."""
        return self.outputs(features, bags)[:, 0]

    def outputs(self, features: Features, bags: Sequence[Numbers]) -> Floats:
        """Return the outputs for the lines of a page, multiples of `ACTIVATION_UNIT`.

        Parameters
        ----------
        features
            What is known of its lines, in order.
        bags
            For each table the numbers of the words of each line, shape (lines, words); 0 for none.

        Returns
        -------
        array
            Shape (lines, outputs).

        Raises
        ------
        RuntimeError
            If these are not the columns that it was trained on.
        """
        rows = features.rows_for(self.columns)
        *hidden, last = self.outer
        if not len(rows):
            return np.empty((0, len(last.biases)))
        inputs = _in_units(standardised(rows, np.array(self.means), np.array(self.deviations)))
        vectors = map(_mean_vectors, self.tables, bags)
        activations = np.ascontiguousarray(np.concatenate([inputs, *vectors], axis=1))
        for layer in self.inner:
            activations = layer.rectified(activations)
        half = len(self.convolutions) // 2
        for convolution in self.convolutions[:half]:
            activations = convolution(activations)
        activations = np.minimum(activations + self._of_page(activations), _MOST)
        for convolution in self.convolutions[half:]:
            activations = convolution(activations)
        for layer in hidden:
            activations = layer.rectified(activations)
        return last(activations).astype(np.float64) * ACTIVATION_UNIT

    def _of_page(self, activations: Numbers) -> Numbers:
        mean = np.rint(activations.sum(axis=0) / len(activations)).astype(np.int32)
        of_page = np.concatenate([mean, activations.max(axis=0)])
        return self.whole.rectified(of_page[None, :])


def logarithms(rows: Rows) -> Floats:
    """Return the logarithms of numbers, from 0 on, with their signs."""
    wide = rows.astype(np.float64)
    return np.copysign(np.log1p(np.abs(wide)), wide)


def standardised(rows: Rows, means: Floats, deviations: Floats) -> Floats:
    """Return columns on one scale, by the means and standard deviations of their logarithms."""
    return np.clip((logarithms(rows) - means) / deviations, -MAX_INPUT, MAX_INPUT)


def _mean_vectors(table: Weights, bag: Numbers) -> Numbers:
    rows, size = len(bag), table.shape[1]
    answer = _layers.means(np.ascontiguousarray(bag), table, rows, size)
    return np.frombuffer(answer, dtype=np.int32).reshape(rows, size)


def _in_units(values: Floats) -> Numbers:
    """Return numbers of at most `MAX_INPUT` as the nearest activations."""
    return np.rint(values / ACTIVATION_UNIT).astype(np.int32)
