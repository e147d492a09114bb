"""Lines and progress that commands show: bars on a terminal, occasional lines otherwise."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from detourage.text.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILE_COLUMNS = 200  # width of tables that are not written to a terminal, in characters
LINE_SECONDS = 10.0  # minimum time between progress lines if there is no terminal

console = Console(stderr=True)


def wide_output() -> Console:
    """Return a console for standard output, wide enough for tables if it is not a terminal."""
    out = Console()
    if not out.is_terminal:
        out.width = FILE_COLUMNS
    return out


def say(out: Console, text: str) -> None:
    """Print a line, without interpreting any markup or control sequences in it."""
    out.print(Text(printable(text)), soft_wrap=True)


def progress_display() -> Progress:
    """Return a display of progress bars, which is empty without a terminal."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def measurement_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar; the yielded function updates it: ``update(step, done, total)``."""
    with progress_display() as progress:
        task = progress.add_task("", total=None)
        last_line = time.monotonic()

        def update(step: str, done: int, total: int) -> None:
            nonlocal last_line
            progress.update(task, description=printable(step), completed=done, total=total)
            if not console.is_terminal and time.monotonic() - last_line >= LINE_SECONDS:
                last_line = time.monotonic()
                say(console, f"{step} {done}/{total}")

        yield update
