"""Base class of all tasks."""

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
    """A task needed more memory than available."""


class ServiceTask(Task):
    """A task whose failure does not affect other tasks.

    Attributes
    ----------
    cpu_seconds
        CPU time after which `SoftTimeLimitExceeded` is raised in a process of the pool; 0 for no
        limit. Celery's own limits are wall-clock time, of which a busy host gives a task little.
    cpu_kill_seconds
        CPU time after which the process is killed, should the task ignore the exception.
    """

    cpu_seconds: float = 0
    cpu_kill_seconds: float = 0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the task."""
        try:
            with self._cpu_limit():
                return super().__call__(*arguments, **named)
        except MemoryError as error:
            # On MemoryError, Celery would stop the worker with everything it is working on.
            raise OutOfMemoryError(str(error)) from error
        except ForeignSchemaError as error:
            if self.request.called_directly:
                raise
            # The worker stops taking tasks; another one gets those it has.
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
