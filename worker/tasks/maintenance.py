"""Removal of data past its retention period."""

from collections.abc import Sequence
from itertools import islice

from celery import shared_task

from worker.messaging import task_names
from worker.store import outbox
from worker.store.retention import Cursor, prune_in_steps
from worker.store.retention_kinds import KINDS, Kind
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.process_state import process_state

STEPS_PER_TASK = 20
"""Maximum number of transactions per task, a few seconds of work; the next task continues."""


@shared_task(name=task_names.PRUNE, **TASK_OPTIONS)
def prune(
    older_than_days: float, kinds: Sequence[Kind] = KINDS, begin: tuple[int, int] | None = None
) -> None:
    """Remove expired data of some kinds in small transactions, and enqueue a task for the rest.

    `begin` is where the previous task stopped: the number of the rule and the last ID examined.
    """
    if unknown := set(kinds).difference(KINDS):
        raise ValueError(
            f"cannot remove {', '.join(sorted(map(str, unknown)))}: kinds are {', '.join(KINDS)}"
        )
    if older_than_days < 0:
        raise ValueError(f"older_than_days must be 0 or more, not {older_than_days}")
    cursor = Cursor(*begin) if begin else None
    state = process_state()
    database, store_url = state.database, state.settings.pages
    steps = prune_in_steps(database, kinds, older_than_days, store_url=store_url, begin=cursor)
    for step in islice(steps, STEPS_PER_TASK):
        cursor = step.next_cursor
    if cursor is None:
        return
    begin = cursor.rule, cursor.after
    arguments = {"older_than_days": older_than_days, "kinds": list(kinds), "begin": begin}
    database.run(outbox.add_tasks, task_names.PRUNE, [arguments], site_id=None)
