"""The task that compares trees."""

from celery import shared_task

from worker.messaging import task_names
from worker.store.advisory_locks import AdvisoryLock
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.comparison import compare_block
from worker.workflow.process_state import process_state


@shared_task(name=task_names.COMPARE, **TASK_OPTIONS)
def compare(block_id: int) -> None:
    """Compute and store the missing distances of a block of comparisons.

    The last block of a site enqueues the site's clustering. Work beyond `TASK_WORK` is left to the
    block's next task. Does nothing if the block is finished, no longer needed, or being compared by
    another process.
    """
    # The lock prevents a redelivery during the comparison from counting as an attempt.
    state = process_state()
    with state.database.try_lock(AdvisoryLock.COMPARISON, block_id) as is_locked:
        if is_locked:
            compare_block(state, block_id)
