"""Headers of the model files written by training."""

import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from worker.inference import Training, TrainingCorpus

LIBRARIES = ("scikit-learn", "numpy", "lxml")


def corpus_used(folder: Path, use: str, pages: Iterable[tuple[str, str]]) -> TrainingCorpus:
    """Describe a corpus on which a model is trained.

    `use` states the purpose of the corpus; `pages` are the IDs and sites of the pages used.
    """
    sites = dict(pages)
    return TrainingCorpus(
        name=folder.name,
        use=use,
        pages=len(sites),
        sites=len(set(sites.values())),
        pages_digest=_digest(folder / "pages.jsonl.gz"),
        gold_digest=_digest(folder / "gold.jsonl.gz"),
    )


def training_of(
    corpora: Sequence[TrainingCorpus],
    module: str,
    scores: Mapping[str, float] | None = None,
    scored_on: str | None = None,
    libraries: Sequence[str] = (),
) -> Training:
    """Describe the training done by the current command.

    `module` is the name of the script, `scores` are its scores, and `scored_on` states how they
    were obtained. `libraries` were used in addition to `LIBRARIES`.
    """
    return Training(
        date=datetime.now(UTC).date().isoformat(),
        command=" ".join(["python -m", module, *sys.argv[1:]]),
        code=_commit(),
        libraries={name: version(name) for name in (*LIBRARIES, *libraries)},
        corpora=tuple(corpora),
        scores={name: round(value, 1) for name, value in (scores or {}).items()},
        scored_on=scored_on,
    )


def _commit() -> str | None:
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


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
