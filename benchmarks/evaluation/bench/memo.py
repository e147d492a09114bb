"""Cache of scores in a folder."""

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any


def scorer_version() -> str:
    """Return a digest of the source that affects scores, so that changes invalidate the cache."""
    evaluation = files("benchmarks.evaluation")
    sources = [*evaluation.joinpath("scores").iterdir(), evaluation.joinpath("bench", "scoring.py")]
    digest = sha256()
    for source in sorted(sources, key=lambda each: each.name):
        if source.name.endswith((".py", ".c")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


@dataclass(frozen=True)
class Memo:
    """Cache of results by key for one version of the scorer, disabled without a `folder`."""

    folder: Path | None
    version: str

    def __call__(self, key: object, compute: Callable[[], Any]) -> Any:
        """Return the cached value of a key, or compute and cache it.

        The `repr` of the key must determine the result; `compute` returns JSON values.
        """
        if self.folder is None:
            return compute()
        name = sha256(repr(key).encode("utf-8", "surrogatepass")).hexdigest()
        path = self.folder / f"scores-{self.version}" / name[:2] / f"{name[2:]}.json"
        try:
            return json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            value = compute()
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written to a temporary file and moved, so that an interrupted run leaves no partial file.
        handle, temporary_file = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(value, file)
        Path(temporary_file).replace(path)
        return value
