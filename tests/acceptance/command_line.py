"""Helpers for tests that run the command line as a user does."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from detourage.cli import main
from tests.preloaded import PreloadedSupervisor
from worker.settings import PREFIX, load_settings

DETOURAGE = [sys.executable, "-m", "worker.cli"]
BARE = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
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
        check=False,
    )


def run_command(*arguments: str | Path, code: int = 0, **settings: str) -> Result:
    """Run ``detourage run`` in this process, without any configuration except the given settings.

    It must end with the exit code. Only the imports are saved: all other processes and the embedded
    servers are those of a run.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - BARE.keys():
            patch.delenv(name)
        for name, value in settings.items():
            patch.setenv(f"{PREFIX}{name.upper()}", value)
        patch.setattr("worker.local.run.Supervisor", PreloadedSupervisor)
        load_settings.cache_clear()
        done = CliRunner().invoke(main, ["run", *map(str, arguments)], catch_exceptions=False)
    load_settings.cache_clear()
    assert done.exit_code == code, done.stderr
    return done


def write_messages(path: Path, bodies: Iterable[bytes]) -> Path:
    path.write_bytes(b"".join(body + b"\n" for body in bodies))
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines()]


def without_clock(articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    clock = ("received_at", "extracted_at")
    return [{k: v for k, v in each.items() if k not in clock} for each in articles]
