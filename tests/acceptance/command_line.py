"""Helpers for tests that run commands as a user does."""

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
BARE_ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith(PREFIX)
}
"""This process's environment variables, without the service's settings."""
SCRIPT = [sys.executable, str(Path(sys.executable).with_name("detourage"))]
"""The installed ``detourage`` script, whose import path lacks the current folder."""
SCRIPT_ENVIRONMENT = {**BARE_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
APP_SHELL = (
    "<html><head><title>A story</title></head><body><div id='root'></div>"
    "<script src='/app.js'></script></body></html>"
)
"""A page that is empty until a browser has run its script."""
PROJECT = [
    *("detourage.py", "worker.py", "inspector.py", "celery.py", "numpy.py", "lxml.py", "psutil.py"),
    *("models/__init__.py", "migrations/__init__.py", "tests/__init__.py"),
]
"""Files that a user may have in a folder, named like modules that the service imports."""


def write_project(folder: Path) -> None:
    """Write the modules of `PROJECT` into a folder; importing any of them ends the process."""
    for name in PROJECT:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("raise SystemExit(f'imported {__file__}')\n")


def detourage(*arguments: str | Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``detourage`` in a process without any of the service's settings."""
    return subprocess.run(
        [*DETOURAGE, *map(str, arguments)],
        env=BARE_ENVIRONMENT,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def run_command(*arguments: str | Path, code: int = 0, **settings: str) -> Result:
    """Run ``detourage run`` in this process with no settings but the given ones.

    Assert that it ends with the given exit code. It starts the processes and the embedded servers
    of a normal run, but the processes do not spend time on imports.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - BARE_ENVIRONMENT.keys():
            patch.delenv(name)
        for name, value in settings.items():
            patch.setenv(f"{PREFIX}{name.upper()}", value)
        patch.setattr("worker.local.run.Supervisor", PreloadedSupervisor)
        load_settings.cache_clear()
        result = CliRunner().invoke(main, ["run", *map(str, arguments)], catch_exceptions=False)
    load_settings.cache_clear()
    assert result.exit_code == code, result.stderr
    return result


def write_messages(path: Path, bodies: Iterable[bytes]) -> Path:
    """Write page messages to a file, one per line, and return its path."""
    path.write_bytes(b"".join(body + b"\n" for body in bodies))
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the articles in a file of JSON lines, compressed if its name ends in ``.gz``."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines()]


def without_timestamps(articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return articles without the keys whose values differ between two runs."""
    timestamps = ("received_at", "extracted_at")
    return [{k: v for k, v in each.items() if k not in timestamps} for each in articles]
