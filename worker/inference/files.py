"""Model files: a header that describes the training, followed by the model's parameters.

A file is JSON. The header is laid out for people to read and compare line by line. The parameters
have the names given by the model's class. To load fast, large arrays are strings (see
`worker.inference.arrays`).
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from worker.text.shipped import shipped_text


@dataclass(frozen=True)
class TrainingCorpus:
    """A corpus on which a model was trained; fields are None if unknown.

    Attributes
    ----------
    name
        Name of the corpus's folder.
    use
        Purpose for which the corpus was used.
    pages, sites
        Numbers of training pages and of their sites.
    pages_digest, gold_digest
        SHA-256 of the corpus's ``pages.jsonl.gz`` and ``gold.jsonl.gz``.
    """

    name: str
    use: str
    pages: int | None
    sites: int | None
    pages_digest: str | None
    gold_digest: str | None


@dataclass(frozen=True)
class Training:
    """Header of a model file, which describes the training; fields are None if unknown.

    Attributes
    ----------
    date
        Latest possible day of the training, in UTC.
    command
        Command that repeats the training, to be run next to the folders of the corpora.
    code
        Commit whose code reproduces the model exactly.
    libraries
        Versions of the libraries used.
    corpora
        Training corpora.
    scores
        Scores by name.
    scored_on
        Description of how the scores were measured.
    """

    date: str | None
    command: str
    code: str | None
    libraries: dict[str, str | None]
    corpora: tuple[TrainingCorpus, ...]
    scores: dict[str, float]
    scored_on: str | None

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Parse the header of a file; raise TypeError if keys are missing or unknown."""
        corpora = tuple(TrainingCorpus(**corpus) for corpus in values["corpora"])
        return cls(**{**values, "corpora": corpora})


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


@dataclass(frozen=True)
class ModelFile(Generic[ModelT]):
    """The content of a model file: its header and the model."""

    training: Training
    model: ModelT

    @classmethod
    def from_json(cls, kind: type[ModelT], text: str) -> Self:
        """Parse the text of a model file; raise ValueError if it is not of the given kind."""
        try:
            values = json.loads(text)
            found = values["model"]
            training = Training.from_json(values["training"])
            model = kind.from_parameters(values) if found == kind.KIND else None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not a model file: {error!r}") from error
        if model is None:
            raise ValueError(f"expected a model file of {kind.KIND}, found one of {found}")
        return cls(training, model)

    def to_json(self) -> str:
        """Return the text of the file."""
        values = {
            "model": self.model.KIND,
            "training": asdict(self.training),
            **self.model.to_parameters(),
        }
        parts = [f"{json.dumps(key)}: {_written(each)}" for key, each in values.items()]
        return "{\n" + ",\n".join(parts) + "\n}\n"


def load_model(kind: type[ModelT], package: str, name: str) -> ModelFile[ModelT]:
    """Load a model from a file in the package that ships it; the result is cached."""
    return _load(kind, package, name)


@cache
def _load(kind: type[Any], package: str, name: str) -> ModelFile[Any]:
    return ModelFile.from_json(kind, shipped_text(package, name))


def _written(value: object) -> str:
    """Serialise a value with a line for each entry of a mapping and each mapping in a list."""
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_part_written(each)}" for key, each in value.items()]
        return "{\n" + ",\n".join(parts) + "\n}"
    return _part_written(value)


def _part_written(value: object) -> str:
    if isinstance(value, list | tuple) and any(isinstance(each, dict) for each in value):
        parts = [json.dumps(each, separators=(",", ":")) for each in value]
        return "[\n" + ",\n".join(parts) + "\n]"
    return json.dumps(value)
