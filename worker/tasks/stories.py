"""The tasks that group articles into stories, and send again those whose story changed."""

from celery import shared_task

from worker.messaging import task_names
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.process import process_state
from worker.workflow.stories import tell_waiting
from worker.workflow.story_corrections import correct_waiting


@shared_task(name=task_names.TELL_STORIES, **TASK_OPTIONS)
def tell_stories() -> None:
    """Group the waiting articles into stories.

    Does nothing while another process does it, which then asks for the rest.
    """
    tell_waiting(process_state())


@shared_task(name=task_names.CORRECT_STORIES, **TASK_OPTIONS)
def correct_stories() -> None:
    """Send articles again whose story has changed, and remove the stories that are too old.

    An article goes out as a further revision that differs from the last in ``story`` alone. After
    each, it waits twice as long for the next, so that nobody can have it sent without end.
    """
    state = process_state()
    # Hosts of the previous version take no TELL_STORIES.
    tell_waiting(state)
    correct_waiting(state)
