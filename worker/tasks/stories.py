"""Tasks that group articles into stories, and republish articles whose story has changed."""

from celery import shared_task

from worker.messaging import task_names
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.process import process_state
from worker.workflow.stories import group_waiting
from worker.workflow.story_corrections import correct_waiting


@shared_task(name=task_names.TELL_STORIES, **TASK_OPTIONS)
def tell_stories() -> None:
    """Group waiting articles into stories.

    Does nothing while another process is grouping; that process then enqueues a task for the
    articles that are left.
    """
    group_waiting(process_state())


@shared_task(name=task_names.CORRECT_STORIES, **TASK_OPTIONS)
def correct_stories() -> None:
    """Republish articles whose story has changed, and remove expired stories.

    An article gets a new revision that differs from the previous one only in ``story``. The delay
    before the next correction doubles each time, which bounds the number of revisions.
    """
    state = process_state()
    # Hosts that run the previous release do not consume TELL_STORIES.
    group_waiting(state)
    correct_waiting(state)
