"""Model files: what training found, under a header that says how it was found.

A file is JSON: the header, which people read and compare line by line, then the parameters of the
model, which each class of models names for itself. Many numbers are one text, see
`worker.inference.arrays`, as they have to load at once.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from worker.text.shipped import shipped_text


@dataclass(frozen=True)
class TrainingCorpus:
    """A corpus that a model was trained on; None stands for what is not known.

    Attributes
    ----------
    name
        Name of its folder.
    use
        What it taught.
    pages, sites
        Number of the pages that were trained on, and of their sites.
    pages_digest, gold_digest
        SHA-256 of its ``pages.jsonl.gz`` and of its ``gold.jsonl.gz``.
    """

    name: str
    use: str
    pages: int | None
    sites: int | None
    pages_digest: str | None
    gold_digest: str | None


@dataclass(frozen=True)
class Training:
    """How a model was trained: the header of its file; None stands for what is not known.

    Attributes
    ----------
    date
        Day, in UTC, on which it was trained at the latest.
    command
        What trains it again, run beside the folders of the corpora.
    code
        Commit with the code that trains exactly it.
    libraries
        Versions of the libraries that took part.
    corpora
        What it was trained on.
    scores
        What it reaches, by the name of the score.
    scored_on
        How the scores were taken.
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
        """Return the header that a file holds.

        Raises
        ------
        TypeError
            If it has too many keys, or too few.
        """
        corpora = tuple(TrainingCorpus(**corpus) for corpus in values["corpora"])
        return cls(**{**values, "corpora": corpora})


class TrainedModel(Protocol):
    """A model whose parameters can be written down."""

    KIND: ClassVar[str]
    """What its files call it."""

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the model with these parameters."""

    def to_parameters(self) -> dict[str, Any]:
        """Return its parameters, ready for JSON."""


ModelT = TypeVar("ModelT", bound=TrainedModel)


@dataclass(frozen=True)
class ModelFile(Generic[ModelT]):
    """What a model file holds.

    Attributes
    ----------
    training
        Its header.
    model
        The model.
    """

    training: Training
    model: ModelT

    @classmethod
    def from_json(cls, kind: type[ModelT], text: str) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the text is no file of such a model.
        """
        try:
            values = json.loads(text)
            found = values["model"]
            training = Training.from_json(values["training"])
            model = kind.from_parameters(values) if found == kind.KIND else None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"no model file: {error!r}") from error
        if model is None:
            raise ValueError(f"a model file of {found}, not of {kind.KIND}")
        return cls(training, model)

    def to_json(self) -> str:
        """Write the model down."""
        values = {
            "model": self.model.KIND,
            "training": asdict(self.training),
            **self.model.to_parameters(),
        }
        parts = [f"{json.dumps(key)}: {_written(each)}" for key, each in values.items()]
        return "{\n" + ",\n".join(parts) + "\n}\n"


def load_model(kind: type[ModelT], package: str, name: str) -> ModelFile[ModelT]:
    """Load a model that is shipped with a package.

    Parameters
    ----------
    kind
        Class of the model.
    package, name
        The package, and the path of the file in it.
    """
    return _load(kind, package, name)


@cache
def _load(kind: type[Any], package: str, name: str) -> ModelFile[Any]:
    return ModelFile.from_json(kind, shipped_text(package, name))


def _written(value: object) -> str:
    """Write a value down: each part of a mapping, and each mapping of a list, on a line."""
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_part_written(each)}" for key, each in value.items()]
        return "{\n" + ",\n".join(parts) + "\n}"
    return _part_written(value)


def _part_written(value: object) -> str:
    if isinstance(value, list | tuple) and any(isinstance(each, dict) for each in value):
        parts = [json.dumps(each, separators=(",", ":")) for each in value]
        return "[\n" + ",\n".join(parts) + "\n]"
    return json.dumps(value)
