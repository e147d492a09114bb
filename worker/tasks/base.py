"""The base of all tasks."""

from typing import Any

from celery import Task


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
