"""Removal of data past its retention period."""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice

from celery import shared_task

from worker.messaging import task_names
from worker.store import outbox, retention
from worker.store.database import Database
from worker.store.page_objects import SHARDS, PageObjects, page_objects
from worker.store.removable import KINDS, Kind
from worker.store.retention import Place, Step
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.process import process_state

STEPS_PER_TASK = 20
"""Maximum number of transactions per task before it enqueues the next: a few seconds of work."""


@shared_task(name=task_names.PRUNE, **TASK_OPTIONS)
def prune(
    older_than_days: float,
    kinds: Sequence[Kind] = KINDS,
    begin: tuple[int, int] | None = None,
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
    begun = Place(*begin) if begin else None
    state = process_state()
    database, objects = state.database, page_objects(state.settings.pages)
    steps = islice(
        pruning(database, kinds, older_than_days, objects=objects, begin=begun), STEPS_PER_TASK
    )
    rest = begun
    for step in steps:
        rest = step.following
    if rest is None:
        return
    arguments = {
        "older_than_days": older_than_days,
        "kinds": list(kinds),
        "begin": [rest.rule, rest.after],
    }
    database.run(
        lambda session: outbox.add_tasks(session, task_names.PRUNE, [arguments], site_id=None)
    )


def pruning(
    database: Database,
    kinds: Collection[Kind],
    days: float,
    *,
    objects: PageObjects | None = None,
    begin: Place | None = None,
    dry_run: bool = False,
) -> Iterator[Step]:
    """Remove expired data in small steps, each of which is one transaction or shard of objects.

    See `worker.store.retention.prune` and `worker.store.retention.prune_objects`.
    """
    place = begin or retention.first_place(kinds)
    while place is not None:
        at = place
        if at.rule == retention.OBJECTS:
            step = _prune_shard(database, objects, at.after, dry_run=dry_run)
        else:
            step = database.run(
                lambda session: retention.prune(
                    session,
                    at,  # noqa: B023
                    kinds=kinds,
                    days=days,
                    dry_run=dry_run,
                )
            )
        yield step
        place = step.following


def _prune_shard(
    database: Database, objects: PageObjects | None, shard: int, *, dry_run: bool
) -> Step:
    if objects is None:
        return Step("objects", 0, None)
    removed = sum(
        database.run(partial(retention.prune_objects, objects=objects, urls=urls, dry_run=dry_run))
        for urls in objects.listed(shard)
    )
    following = Place(retention.OBJECTS, shard + 1) if shard + 1 < SHARDS else None
    return Step("objects", removed, following)
