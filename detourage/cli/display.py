"""Progress of commands: a line that is updated on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from detourage.text.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LINE_SECONDS = 10.0  # minimum time between progress lines if there is no terminal
_CLEARED = "\r\033[K"  # control sequence that clears the current line of a terminal


def say(text: str) -> None:
    """Write a line to standard error, above the progress line or bars if there are any."""
    text = printable(text)
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
        text = _CLEARED + text
    # Not `click.echo`, which does not notice that `rich` replaces the stream while it shows bars.
    sys.stderr.write(f"{text}\n")


@contextmanager
def measurement_bar() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show progress, which the yielded function ``update(step, done, total or None)`` updates."""
    is_terminal = sys.stderr.isatty()
    last_line = time.monotonic()

    def update(step: str, done: int, total: int | None) -> None:
        nonlocal last_line
        text = f"{printable(step)} {done}" + ("" if total is None else f"/{total}")
        if is_terminal:
            click.echo(_CLEARED + text, err=True, nl=False)
        elif time.monotonic() - last_line >= LINE_SECONDS:
            last_line = time.monotonic()
            click.echo(text, err=True)

    try:
        yield update
    finally:
        if is_terminal:
            click.echo(_CLEARED, err=True, nl=False)
