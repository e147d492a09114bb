"""Measurement of the CPU time of each work item in processes of the service.

Python imports a module named ``sitecustomize`` before any other. A work item is one message for the
intake, one page for an extraction, and one task otherwise. If a task processes several pages, the
time that is not spent on a particular page is divided equally among them. Each item is recorded, as
a line with its name and its duration in seconds, in the file named by the variable `FILE_VARIABLE`.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from tests.faults.replacing import Replacements, replace_on_import

FILE_VARIABLE = "DETOURAGE_CPU_FILE"  # environment variable with the path of the file

Function = Callable[..., Any]


@contextmanager
def _measure_block(work: str, pieces: int = 1) -> Iterator[None]:
    started = time.process_time()
    try:
        yield
    finally:
        _append_duration(work, (time.process_time() - started) / pieces)


def _append_duration(work: str, seconds: float) -> None:
    # Append each line in a single write, because several processes write to the file.
    written = os.open(os.environ[FILE_VARIABLE], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(written, f"{work} {seconds:.4f}\n".encode())
    os.close(written)


def _measure_function(work: str) -> Callable[[Function], Function]:
    """Return a decorator that records the CPU time of each call."""

    def measured(original: Function) -> Function:
        @wraps(original)
        def run(*arguments: Any, **named: Any) -> Any:
            with _measure_block(work):
                return original(*arguments, **named)

        return run

    return measured


def _measure_tasks(base: Any) -> Any:
    """Make all Celery tasks of a base class record their CPU time."""
    original = base.__call__

    def run(self, *arguments, **named):  # type: ignore[no-untyped-def]
        with _measure_block(self.name, 1 + len(named.get("others", ()))):
            return original(self, *arguments, **named)

    base.__call__ = run
    return base


MEASURED_INTAKE_METHODS = {
    "_parse_message": "intake, a message",
    "_store_batch": "intake, storing a batch",
}
"""Measured methods of the intake, each with its name in the report."""


def _measure_intake(intake: Any) -> Any:
    for name, work in MEASURED_INTAKE_METHODS.items():
        setattr(intake, name, _measure_function(work)(getattr(intake, name)))
    return intake


MEASURED: Replacements = {
    "worker.service.intake": {"Intake": _measure_intake},
    "worker.tasks.base": {"ServiceTask": _measure_tasks},
    "worker.workflow.extraction": {"extract_page": _measure_function("detourage.extract, a page")},
}
"""Names to replace in modules of the service, with functions that wrap the original objects."""


if __name__ == "sitecustomize":
    replace_on_import(MEASURED)
