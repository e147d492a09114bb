"""A method that does what its pages tell it to.

The method has a module of its own because each process that runs it imports its module.
"""

import os
import time
from pathlib import Path

from benchmarks.evaluation.methods import (
    Extracted,
    Neighbours,
    ReaderComment,
    Source,
    UnavailableError,
)


def obey(source: Source, _neighbours: Neighbours, calls: Path | None = None) -> Extracted:
    """Return the page's text, or do what the text says."""
    text = source.html.decode() if isinstance(source.html, bytes) else source.html
    if calls is not None:
        with calls.open("a") as file:
            file.write(text + "\n")
    if text == "raise now":
        raise LookupError("as told")
    if text == "hang now":
        time.sleep(600)
    if text == "crash now":
        os.abort()
    return Extracted.from_lines(None, text)


def comment(source: Source, _neighbours: Neighbours) -> Extracted:
    """Return the page's text as a reader's comment."""
    text = source.html.decode() if isinstance(source.html, bytes) else source.html
    return Extracted(None, "", (), comments=(ReaderComment(text, "Ann", "2026-01-02"),))


def lack() -> None:
    """Report that a dependency is missing."""
    raise UnavailableError("the gull is not installed")
