"""Methods that misbehave as the pages tell them to."""

import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.evaluation.methods import Extracted, Extractor, Neighbours, Source, UnavailableError

NAME = "tests.unit.evaluation.methods.misbehaving"


def method(**options: object) -> Extractor:
    """Return the method that does what its pages say."""
    return Extractor("obedient", f"{NAME}:obey", options, version="1")


def unpreparable(preparation: str) -> Extractor:
    """Return a method whose preparation fails."""
    return Extractor("broken", f"{NAME}:obey", version="1", preparation=f"{NAME}:{preparation}")


def obey(source: Source, _neighbours: Neighbours, calls: Path | None = None) -> Extracted:
    """Do what the page says."""
    order = str(source.html)
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
    if order == "compute":
        sum(number * number for number in range(3_000_000))
    return Extracted.from_lines(None, order)


def lack() -> None:
    """Report that a dependency is missing."""
    raise UnavailableError("the moon is not full")


def abort() -> None:
    """Abort the process."""
    os.abort()
