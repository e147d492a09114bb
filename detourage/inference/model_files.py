"""Files of trained models.

A file is JSON: the kind of model, a header that describes the training (written and read by
`benchmarks.training.headers`), and the parameters, with the names given by the model's class. To
load fast, large arrays are strings: base64 of little-endian numbers.
"""

import json
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from detourage.text.shipped import shipped_text


def encode_array(array: npt.NDArray[Any], dtype: str) -> dict[str, Any]:
    """Encode an array as numbers of `dtype`, given without byte order, such as ``"i2"``."""
    little = array.astype(f"<{dtype}").tobytes()
    return {"shape": list(array.shape), "base64": b2a_base64(little, newline=False).decode()}


def decode_array(values: Mapping[str, Any], dtype: str) -> npt.NDArray[Any]:
    """Decode a result of `encode_array` as a read-only array."""
    little = np.frombuffer(a2b_base64(values["base64"], strict_mode=True), dtype=f"<{dtype}")
    return little.astype(dtype, copy=False).reshape(values["shape"])


class TrainedModel(Protocol):
    """A model whose parameters can be saved."""

    KIND: ClassVar[str]  # name of the kind of model in model files

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build the model from its parameters."""

    def to_parameters(self) -> dict[str, Any]:
        """Return the parameters in a form that can be serialised as JSON."""


ModelT = TypeVar("ModelT", bound=TrainedModel)


def load_model(kind: type[ModelT], package: str, name: str) -> ModelT:
    """Load a model from a file in the package that ships it; the result is cached."""
    model: ModelT = _load(kind, package, name)
    return model


@cache
def _load(kind: type[Any], package: str, name: str) -> Any:
    return parse_model(kind, shipped_text(package, name))


def parse_model(kind: type[ModelT], text: str) -> ModelT:
    """Parse the text of a model file; raise ValueError if it is not of the given kind."""
    try:
        values = json.loads(text)
        found = values["model"]
        model = kind.from_parameters(values) if found == kind.KIND else None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a model file: {error!r}") from error
    if model is None:
        raise ValueError(f"expected a model file of {kind.KIND}, found one of {found}")
    return model
