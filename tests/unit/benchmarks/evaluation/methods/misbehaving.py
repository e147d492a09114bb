"""Extraction methods that hang, crash or fail when a page tells them to.

The processes that run a method import this module.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.evaluation.methods import (
    Extracted,
    Extractor,
    Neighbours,
    ReaderComment,
    Source,
    UnavailableError,
)

NAME = "tests.unit.benchmarks.evaluation.methods.misbehaving"


def method(name: str = "obedient", **options: object) -> Extractor:
    """Return a method that extracts pages with `obey`."""
    return Extractor(name, f"{NAME}:obey", options, version="1")


def unpreparable(preparation: str) -> Extractor:
    """Return a method whose preparation, a function of this module, fails."""
    return Extractor("broken", f"{NAME}:obey", version="1", preparation=f"{NAME}:{preparation}")


def obey(source: Source, _neighbours: Neighbours, calls: Path | None = None) -> Extracted:
    """Do what the page's text says, or return it as the article; log the call to a file."""
    order = _text(source)
    if calls is not None:
        with calls.open("a") as file:
            file.write(order + "\n")
    if order == "hang":
        time.sleep(600)
    if order == "hang in a program":
        subprocess.run([sys.executable, "-c", "import time; time.sleep(600)", NAME], check=True)
    if order == "crash":
        os.abort()
    if order == "exit":
        sys.exit(3)
    if order == "raise":
        raise LookupError("as told")
    if order == "recurse":
        return obey(source, _neighbours)
    if order == "print":
        sys.stdout.write("noise\n" * 100_000)
    return Extracted.from_lines(None, order)


def comment(source: Source, _neighbours: Neighbours) -> Extracted:
    """Return the page's text as a reader's comment."""
    return Extracted(None, "", (), comments=(ReaderComment(_text(source), "Ann", "2026-01-02"),))


def _text(source: Source) -> str:
    return source.html.decode() if isinstance(source.html, bytes) else source.html


def lack() -> None:
    raise UnavailableError("the moon is not full")


def abort() -> None:
    os.abort()
