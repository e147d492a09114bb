"""The base of all tasks."""

import logging
import os
import signal
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from celery import Task
from celery.exceptions import Reject, SoftTimeLimitExceeded

from worker.processes.time_limit import time_limit
from worker.store.database import ForeignSchemaError
from worker.workflow.process import main_process

logger = logging.getLogger(__name__)


class OutOfMemoryError(Exception):
    """A task asked for more memory than there is."""


class ServiceTask(Task):
    """A task whose failure stays its own.

    Attributes
    ----------
    cpu_seconds
        Processor time after which a process of the pool raises `SoftTimeLimitExceeded` in it; any
        where 0. What Celery limits is time of the clock, of which a busy host leaves a task little.
    cpu_kill_seconds
        Processor time after which the process ends, where the task did not hear of it.
    """

    cpu_seconds: float = 0
    cpu_kill_seconds: float = 0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the task."""
        try:
            with self._cpu_limit():
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

    def _cpu_limit(self) -> AbstractContextManager[None]:
        # Signals reach a main thread; and to end the main process would end all others.
        if not self.cpu_seconds or self.request.called_directly or os.getpid() == main_process():
            return nullcontext()
        return time_limit(
            self.cpu_seconds,
            error=SoftTimeLimitExceeded,
            again_seconds=0,
            kill_seconds=self.cpu_kill_seconds,
        )


TASK_OPTIONS: dict[str, Any] = {"base": ServiceTask, "ignore_result": True, "serializer": "json"}
"""Options of every task; delivery guarantees are settings of the application."""
