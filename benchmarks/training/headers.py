"""Model files, whose headers describe the training.

The header is laid out for people to read and compare line by line; `inference.model_files` loads
the model alone.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Generic, Self

from detourage.inference.model_files import ModelT, parse_model

LIBRARIES = ("scikit-learn", "numpy", "lxml")  # libraries used by every training


@dataclass(frozen=True)
class TrainingCorpus:
    """A corpus used to train a model; fields are None if unknown.

    `use` states the purpose for which the corpus was used; the digests are the SHA-256 digests of
    its files.
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

    `date` is the latest day (in UTC) on which the training can have ended. `command` repeats the
    training if run next to the folders of the corpora, and `code` is the commit whose code
    reproduces the model exactly. `scored_on` describes how the scores were measured.
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


@dataclass(frozen=True)
class ModelFile(Generic[ModelT]):
    """The content of a model file: its header and the model."""

    training: Training
    model: ModelT

    @classmethod
    def from_json(cls, kind: type[ModelT], text: str) -> Self:
        """Parse the text of a model file; raise ValueError if it is not of the given kind."""
        model = parse_model(kind, text)
        try:
            training = Training.from_json(json.loads(text)["training"])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not a model file: {error!r}") from error
        return cls(training, model)

    def to_json(self) -> str:
        """Return the text of the file."""
        values = {
            "model": self.model.KIND,
            "training": asdict(self.training),
            **self.model.to_parameters(),
        }
        parts = [f"{json.dumps(key)}: {_serialise(each)}" for key, each in values.items()]
        return "{\n" + ",\n".join(parts) + "\n}\n"


def corpus_used(folder: Path, use: str, pages: Iterable[tuple[str, str]]) -> TrainingCorpus:
    """Describe a corpus on which a model is trained, given the IDs and sites of the pages used."""
    sites = dict(pages)
    return TrainingCorpus(
        name=folder.name,
        use=use,
        pages=len(sites),
        sites=len(set(sites.values())),
        pages_digest=_file_digest(folder / "pages.jsonl.gz"),
        gold_digest=_file_digest(folder / "gold.jsonl.gz"),
    )


def describe_training(
    corpora: Sequence[TrainingCorpus],
    module: str,
    scores: Mapping[str, float] | None = None,
    scored_on: str | None = None,
    libraries: Sequence[str] = (),
) -> Training:
    """Describe the training done by the current command, the script `module`.

    `libraries` were used in addition to `LIBRARIES`; `scored_on` describes how the scores were
    measured.
    """
    return Training(
        date=datetime.now(UTC).date().isoformat(),
        command=" ".join(["python -m", module, *sys.argv[1:]]),
        code=_current_commit(),
        libraries={name: version(name) for name in (*LIBRARIES, *libraries)},
        corpora=tuple(corpora),
        scores={name: round(value, 1) for name, value in (scores or {}).items()},
        scored_on=scored_on,
    )


def _current_commit() -> str | None:
    """Return the commit of this code, or None if it is modified or not under version control."""
    try:
        state = _git("status", "--porcelain", "--untracked-files=no")
        return None if state else _git("rev-parse", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    run = subprocess.run(command, capture_output=True, check=True, text=True)
    return run.stdout.strip()


def _file_digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _serialise(value: object) -> str:
    """Serialise a value with a line for each entry of a mapping and each mapping in a list."""
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_serialise_part(each)}" for key, each in value.items()]
        return "{\n" + ",\n".join(parts) + "\n}"
    return _serialise_part(value)


def _serialise_part(value: object) -> str:
    """Serialise a value in one line, except a list of mappings."""
    if isinstance(value, list | tuple) and any(isinstance(each, dict) for each in value):
        parts = [json.dumps(each, separators=(",", ":")) for each in value]
        return "[\n" + ",\n".join(parts) + "\n]"
    return json.dumps(value)
