"""Helpers for tests that run the command line as a user does."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DETOURAGE = [sys.executable, "-m", "worker.cli"]
BARE = {name: value for name, value in os.environ.items() if not name.startswith("DETOURAGE_")}
SHELL = (
    "<html><head><title>A story</title></head><body><div id='root'></div>"
    "<script src='/app.js'></script></body></html>"
)
"""A page that is empty until a browser has run its script."""


def detourage(*arguments: str | Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line without any configuration; ``given`` is its standard input."""
    return subprocess.run(
        [*DETOURAGE, *map(str, arguments)],
        env=BARE,
        input=given,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def write_messages(path: Path, bodies: Iterable[bytes]) -> Path:
    path.write_bytes(b"".join(body + b"\n" for body in bodies))
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines()]


def without_clock(articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in each.items() if k != "extracted_at"} for each in articles]
