"""Progress display of commands: bars on a terminal, occasional lines otherwise."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from detourage.text.terminal import printable
from worker.cli.display import console, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from worker.store.progress import RunProgress

LINE_SECONDS = 10.0
"""Interval between progress lines if there is no terminal."""


class BarsByStage:
    """Progress display of a run, by stage."""

    STAGES = ("intake", "comparison", "grouping", "extraction")

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks = {stage: progress.add_task(stage, total=None) for stage in self.STAGES}
        self._last_line = time.monotonic()

    def update(self, sent: int, counts: RunProgress) -> None:
        """Update the display with new counts."""
        stages = {
            "intake": (counts.received, sent),
            "comparison": (counts.compared, counts.pairs),
            "grouping": (counts.grouped, counts.pages),
            "extraction": (max(0, counts.pages - counts.pending), counts.pages),
        }
        for stage, (done, total) in stages.items():
            self._progress.update(self._tasks[stage], completed=done, total=total)
        now = time.monotonic()
        if not console.is_terminal and now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            line = ", ".join(f"{stage} {done}/{total}" for stage, (done, total) in stages.items())
            say(console, line)

    def end(self) -> None:
        """Stop the display, so that other output can be printed."""
        self._progress.stop()


def _progress_display() -> Progress:
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
def bars_by_stage() -> Iterator[BarsByStage]:
    """Show the progress of a run."""
    with _progress_display() as progress:
        yield BarsByStage(progress)


@contextmanager
def measurement_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar; the yielded function updates it with a name, progress and total."""
    with _progress_display() as progress:
        task = progress.add_task("", total=None)
        last_line = time.monotonic()

        def update(what: str, done: int, total: int) -> None:
            nonlocal last_line
            progress.update(task, description=printable(what), completed=done, total=total)
            if not console.is_terminal and time.monotonic() - last_line >= LINE_SECONDS:
                last_line = time.monotonic()
                say(console, f"{what} {done}/{total}")

        yield update
