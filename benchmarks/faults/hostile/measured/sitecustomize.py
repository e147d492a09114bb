"""Measurement of the CPU time of each work item in processes of the service.

Python imports a module named ``sitecustomize`` before any other. A work item is one message for the
intake, one page for an extraction, and one task otherwise. If a task processes several pages, the
time that is not spent on a particular page is divided equally among them. Each item is recorded, as
a line with its name and its duration in seconds, in the file named by the variable `FILE`.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from tests.faults.replacing import Replacements, replace_on_import

FILE = "DETOURAGE_CPU_FILE"

Function = Callable[..., Any]


@contextmanager
def _noted(work: str, pieces: int = 1) -> Iterator[None]:
    began = time.process_time()
    try:
        yield
    finally:
        _note(work, (time.process_time() - began) / pieces)


def _note(work: str, seconds: float) -> None:
    # Append each line in a single write, because several processes write to the file.
    written = os.open(os.environ[FILE], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(written, f"{work} {seconds:.4f}\n".encode())
    os.close(written)


def _measured(work: str) -> Callable[[Function], Function]:
    def measured(honest: Function) -> Function:
        @wraps(honest)
        def run(*arguments: Any, **named: Any) -> Any:
            with _noted(work):
                return honest(*arguments, **named)

        return run

    return measured


def _measured_tasks(base: Any) -> Any:
    honest = base.__call__

    def run(self, *arguments, **named):  # type: ignore[no-untyped-def]
        with _noted(self.name, 1 + len(named.get("others", ()))):
            return honest(self, *arguments, **named)

    base.__call__ = run
    return base


INTAKE = {"_prepare": "intake, a message", "_store_batch": "intake, storing a batch"}
"""Measured methods of the intake, each with its name in the report."""


def _measured_intake(intake: Any) -> Any:
    for name, work in INTAKE.items():
        setattr(intake, name, _measured(work)(getattr(intake, name)))
    return intake


MEASURED: Replacements = {
    "worker.service.intake": {"Intake": _measured_intake},
    "worker.tasks.base": {"ServiceTask": _measured_tasks},
    "worker.workflow.extraction": {"extract_page": _measured("detourage.extract, a page")},
}
"""Names to replace in modules of the service, each with a function that returns the replacement for
the original object."""


if __name__ == "sitecustomize":
    replace_on_import(MEASURED)
