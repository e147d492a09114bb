"""The base class of all tasks."""

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from celery import Task
from celery.exceptions import SoftTimeLimitExceeded

from detourage.time_limit import time_limit
from worker.messaging.headers import DELIVERY_COUNT
from worker.workflow.process_state import main_process, process_state


class OutOfMemoryError(Exception):
    """A task needed more memory than was available."""


class ServiceTask(Task):
    """A task whose failures do not affect other tasks.

    In a pool process, `SoftTimeLimitExceeded` is raised after `cpu_seconds` of CPU time (0: never),
    and the process is killed after `cpu_kill_seconds`. Celery's own limits are wall-clock time,
    in which a task may make little progress on a busy host.
    """

    cpu_seconds: float = 0
    cpu_kill_seconds: float = 0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the task within its limit on CPU time."""
        try:
            with self._cpu_limit():
                return super().__call__(*arguments, **named)
        except MemoryError as error:
            # A MemoryError would make Celery stop the worker and abort everything it is working on.
            raise OutOfMemoryError(str(error)) from error

    def _cpu_limit(self) -> AbstractContextManager[None]:
        # The limit needs signals, which only the main thread of a process receives. Ending the
        # worker's main process would also end its pool processes.
        if not self.cpu_seconds or self.request.called_directly or os.getpid() == main_process():
            return nullcontext()
        return time_limit(
            self.cpu_seconds,
            error=SoftTimeLimitExceeded,
            again_seconds=0,
            kill_seconds=self.cpu_kill_seconds,
        )


def is_redelivered(request: Any) -> bool | None:
    """Return whether a task was delivered before; None if the broker does not report it."""
    if not request.called_directly and not process_state().settings.broker_is_amqp:
        return None
    return bool((request.delivery_info or {}).get("redelivered") or request.get(DELIVERY_COUNT))


TASK_OPTIONS: dict[str, Any] = {"base": ServiceTask, "ignore_result": True, "serializer": "json"}
"""Options common to all tasks; delivery guarantees are configured in the application."""
