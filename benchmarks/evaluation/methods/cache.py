"""Cache of outcomes in a folder."""

import json
import os
import tempfile
from dataclasses import asdict
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.evaluation.methods.outcome import Failure, Job, Outcome
from detourage.article import ArticleBlock, ArticleEmphasis, ArticleLink
from detourage.papers.interface import Extracted, Extractor, ReaderComment, Source

_REPEATABLE_FAILURES = frozenset({"refused", "error"})
"""Kinds of failure that would recur in another run, and are therefore cached."""


class ResultCache:
    """Cached outcomes by method, version and page, each in a file of a folder created on demand."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, extractor: Extractor, job: Job) -> Outcome | None:
        """Return the cached outcome of a page, or None."""
        try:
            values = json.loads(self._path(extractor, job).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        result = _parse_result(values["result"])
        return Outcome(result, values["cpu_seconds"], values["peak_memory"])

    def put(self, extractor: Extractor, job: Job, outcome: Outcome) -> None:
        """Cache an outcome unless it could differ in another run."""
        failure = outcome.failure
        if failure is not None and failure.kind not in _REPEATABLE_FAILURES:
            return
        path = self._path(extractor, job)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written to a temporary file and moved, so that an interrupted run leaves no partial file.
        handle, temporary_file = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
            json.dump(asdict(outcome), file, ensure_ascii=False)
        Path(temporary_file).replace(path)

    def _path(self, extractor: Extractor, job: Job) -> Path:
        """Return the file of a method's outcome on a page, named after all that affects it."""
        neighbours = extractor.needs.of(job.neighbours)
        pivot = digest_of(neighbours.pivot) if neighbours.pivot else "-"
        digests = [digest_of(job.source), pivot, *map(digest_of, neighbours.group)]
        method_identity = (extractor.name, extractor.version, extractor.source)
        method_digest = sha256("\x00".join(method_identity).encode()).hexdigest()[:12]
        page_digest = sha256("\n".join(digests).encode()).hexdigest()
        return (
            self._folder / f"{_file_name(extractor.name)}-{method_digest}" / f"{page_digest}.json"
        )


def _file_name(name: str) -> str:
    return "".join(character if character.isalnum() else "_" for character in name)


def _parse_block(values: dict[str, Any]) -> ArticleBlock:
    links = tuple(ArticleLink(**link) for link in values.pop("links"))
    emphasis = tuple(ArticleEmphasis(**each) for each in values.pop("emphasis"))
    return ArticleBlock(links=links, emphasis=emphasis, **values)


def _parse_result(values: dict[str, Any]) -> Extracted | Failure:
    """Convert the JSON of a cached result: to a failure if it has a kind, else to an article."""
    if "kind" in values:
        return Failure(**values)
    blocks = tuple(_parse_block(block) for block in values.pop("blocks"))
    authors = tuple(values.pop("authors"))
    comments = tuple(ReaderComment(**comment) for comment in values.pop("comments"))
    return Extracted(blocks=blocks, authors=authors, comments=comments, **values)


@lru_cache(maxsize=1024)
def digest_of(source: Source) -> str:
    """Return the SHA-256 of a page's HTML, URL and content type, in hexadecimal."""
    html = source.html
    parts = (
        b"text" if isinstance(html, str) else b"bytes",
        source.url.encode("utf-8", "surrogatepass"),
        (source.content_type or "").encode("utf-8", "surrogatepass"),
        html.encode("utf-8", "surrogatepass") if isinstance(html, str) else html,
    )
    return sha256(b"\x00".join(parts)).hexdigest()
