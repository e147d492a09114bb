"""Enqueue extractions, in the transaction that makes them necessary."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from worker.messaging.task_names import EXTRACT, EXTRACT_LATE, EXTRACTIONS, OTHERS
from worker.store import extraction_jobs, outbox
from worker.store.extraction_jobs import SQL, page_params

REPEATED_AT_ONCE = 1000  # maximum number of overdue extractions that are checked together


def request_extractions(session: Session, page_ids: Collection[int], generation: int) -> None:
    """Enqueue extractions; pages with an outcome wait behind pages without one."""
    if page_ids:
        outbox.request_extractions(session, EXTRACTIONS, sorted(page_ids), generation)


def begin_extractions(
    session: Session, generations: Mapping[int, int], *, has_crashed: bool
) -> dict[int, int]:
    """Count an attempt for each page, and return those that await extraction.

    If there are several pages, those attempted before are enqueued separately instead; if the task
    `has_crashed`, all of them are.
    """
    is_alone = len(generations) == 1
    begun: list[int] = []
    if is_alone or not has_crashed:
        earlier = None if is_alone else 0
        begun = extraction_jobs.begin(
            session, generations, earlier_attempts=earlier, has_crashed=has_crashed
        )
    if not is_alone and len(begun) < len(generations):
        rest = {page_id: generations[page_id] for page_id in generations.keys() - begun}
        request_each_alone(session, rest, has_begun=has_crashed)
    return {page_id: generations[page_id] for page_id in begun}


def suspect_late_extractions(session: Session, patience_seconds: float) -> None:
    """Request a check of overdue extractions whose messages were published."""
    late = extraction_jobs.find_late(
        session, EXTRACTIONS, patience_seconds=patience_seconds, limit=REPEATED_AT_ONCE
    )
    if late:
        outbox.add_tasks(session, EXTRACT_LATE, [{"suspects": late}], site_id=None)


def request_late_extractions(
    session: Session, suspects: Mapping[int, int], *, patience_seconds: float
) -> int:
    """Re-request the suspects' extractions that are still overdue, and return their number."""
    late = {**page_params(suspects), "lanes": list(EXTRACTIONS), "patience": patience_seconds}
    return _enqueue(session, sorted(session.execute(SQL.take_late, late)))


def request_overtaken(session: Session, page_ids: Iterable[int]) -> None:
    """Enqueue the extractions that pages still await after an outdated result was discarded."""
    _enqueue(session, session.execute(SQL.awaiting_extraction, {"pages": sorted(page_ids)}))


def request_each_alone(
    session: Session, generations: Mapping[int, int], *, has_begun: bool = True
) -> None:
    """Enqueue a separate task for each extraction that has begun and is still awaited.

    Without `has_begun`, an extraction counts as begun only if an attempt was counted for it.
    """
    params = {**page_params(generations), "has_begun": has_begun}
    _enqueue(session, sorted(session.execute(SQL.begun_and_awaited, params)), is_alone=True)


def _enqueue(session: Session, rows: Iterable[Sequence[Any]], *, is_alone: bool = False) -> int:
    """Enqueue the extraction of pages, given as site, page and generation; return their number."""
    unbatched: dict[str, object] = {OTHERS: []} if is_alone else {}
    tasks = [
        (site_id, {"page_id": page_id, "generation": generation, **unbatched})
        for site_id, page_id, generation in rows
    ]
    outbox.add_tasks_of_sites(session, EXTRACT, tasks)
    return len(tasks)
