"""Storage of feedback on articles."""

from celery import shared_task

from worker.messaging import task_names
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.feedback import store_waiting
from worker.workflow.process import process_state


@shared_task(name=task_names.STORE_FEEDBACK, **TASK_OPTIONS)
def store_feedback() -> None:
    """Store the feedback that waits in its queue, up to a maximum number of messages."""
    store_waiting(process_state())
