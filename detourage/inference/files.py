"""Load model files.

A file is JSON: the kind of model, a header that describes the training (written and read by
`benchmarks.training.headers`), and the parameters, with the names given by the model's class. To
load fast, large arrays are strings (see `detourage.inference.arrays`).
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Protocol, Self, TypeVar

from detourage.text.shipped import shipped_text


class TrainedModel(Protocol):
    """A model whose parameters can be saved."""

    KIND: ClassVar[str]
    """Name of the kind of model in model files."""

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
