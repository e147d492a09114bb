"""What tasks need of the process they run in."""

import os
from functools import cache
from typing import Any

from celery import Task

from worker.settings import load_settings
from worker.store.database import Database


class OutOfMemoryError(Exception):
    """A task asked for more memory than there is."""


class ServiceTask(Task):
    """A task whose failure stays its own."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the task."""
        try:
            return super().__call__(*arguments, **named)
        except MemoryError as error:
            # Celery ends the worker, with all that it is at, on this one.
            raise OutOfMemoryError(str(error)) from error


TASK_OPTIONS: dict[str, Any] = {"base": ServiceTask, "ignore_result": True, "serializer": "json"}
"""Options of every task; delivery guarantees are settings of the application."""


def database() -> Database:
    """Return this process's database.

    Connections must not cross a fork, so each pool child has its own.
    """
    return _database_of(os.getpid())


@cache
def _database_of(_process: int) -> Database:
    return Database(load_settings().require_database_url())
