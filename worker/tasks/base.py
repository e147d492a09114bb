"""The base of all tasks."""

import logging
import os
import signal
from typing import Any

from celery import Task
from celery.exceptions import Reject

from worker.store.database import ForeignSchemaError
from worker.workflow.process import main_process

logger = logging.getLogger(__name__)


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
        except ForeignSchemaError as error:
            if self.request.called_directly:
                raise
            # The worker takes no more, and another one gets what it has.
            logger.critical("%s", error)
            os.kill(main_process(), signal.SIGTERM)
            raise Reject(str(error), requeue=True) from error


TASK_OPTIONS: dict[str, Any] = {"base": ServiceTask, "ignore_result": True, "serializer": "json"}
"""Options of every task; delivery guarantees are settings of the application."""
