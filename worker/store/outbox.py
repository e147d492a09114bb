"""The transactional outbox: messages are written in the transaction that causes them.

After a crash between commit and publish, the relay still finds the entry, so nothing is lost. After
a crash between publish and removal, the message is published twice, which every consumer tolerates.

Tasks of one kind share a lane, and sites take turns in it: start-time fair queueing (Goyal, Vin and
Cheng 1996) with equal task lengths. A task's turn follows the turn last served in the lane or, if
that is later, the turn of the site's own last task. Turns need no clock: for each of its tasks, a
site waits for at most one task of every other site, and a site that was idle gets no credit.

A lane has two halves with separate turns: short queues, of sites with at most `SHORT_QUEUE`
waiting tasks, and backlogs, which a site leaves once all its tasks are served. Each half gets half
of the lane's capacity, and whatever the other half leaves unused, so neither starves. A page of a
site with few tasks thus need not wait for a task of every site with a backlog. The turns of short
queues are negative.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, BindParameter, Boolean, bindparam, select
from sqlalchemy.orm import Session

from detourage.limits import MAX_BODY_BYTES
from detourage.packed_bytes import ZSTANDARD, DamagedBytesError, pack, unpack
from models.tables import OutboxEntry
from worker import tracing
from worker.store.queries import Statements

SQL = Statements("outbox")

SHORT_QUEUE = 8
"""Maximum number of waiting tasks in a short queue; equals the number of pages per batched task."""

PACKED_BYTES = range(1_000, 1 << 17)
"""Lengths of messages that are compressed before they are stored. Longer messages are left for
PostgreSQL to compress, so that `take_next` can determine their size in memory."""

PACKING_LEVEL = 3  # Zstandard level; higher levels shrink article messages by less than 5 %

FIRST_TURN = -(2**62)
"""Turn before all others, for the rest of a task that has already had its turn."""


class WaitingEntry(NamedTuple):
    """The columns of an `OutboxEntry` that the relay needs to publish it."""

    id: int
    task: str | None
    arguments: dict[str, Any] | None
    exchange: str | None
    routing_key: str | None
    headers: dict[str, Any] | None
    message_id: str | None
    body: bytes | None


def add_tasks(
    session: Session, task: str, arguments: Iterable[Mapping[str, Any]], *, site_id: int | None
) -> None:
    """Enqueue a Celery task for each mapping of arguments, all for one site or (None) for none."""
    add_tasks_of_sites(session, task, [(site_id, each) for each in arguments])


def add_tasks_of_sites(
    session: Session,
    task: str,
    tasks: Sequence[tuple[int | None, Mapping[str, Any]]],
    *,
    is_short: bool | None = None,
    turn: int | None = None,
) -> None:
    """Enqueue tasks of one kind, given as pairs of a site ID (or None) and arguments."""
    if not tasks:
        return
    trace = tracing.current()
    columns = {
        "sites": [site_id for site_id, _ in tasks],
        "arguments": [json.dumps(dict(arguments)) for _, arguments in tasks],
        "traces": [json.dumps(trace) if trace else None] * len(tasks),
    }
    session.execute(_ADD_TASKS, {**columns, "task": task, "is_short": is_short, "turn": turn})


# If the new tasks turn a site's short queue into a backlog, its waiting tasks move to the backlog
# too, so that the site never has tasks in both halves of the lane.
TURNS: tuple[BindParameter[Any], ...] = (
    bindparam("first", FIRST_TURN, BigInteger),
    bindparam("is_short", None, Boolean),
    bindparam("short", SHORT_QUEUE),
)
_ADD_TASKS = SQL.add_tasks.bindparams(*TURNS)
_REQUEST_EXTRACTIONS = SQL.request_extractions.bindparams(*TURNS)


def extraction_params(
    lanes: tuple[str, str],
    page_ids: Sequence[int],
    generation: int,
    *,
    unchanged: Sequence[int] = (),
    clustered_site: int | None = None,
) -> dict[str, Any]:
    """Return the parameters of ``extractions``, which enqueues pages even if they were extracted.

    `lanes` are the lane for pages without an outcome and the one for pages with an outcome. After
    the clustering of `clustered_site`, `page_ids` and `unchanged` (whose outcomes remain valid)
    are all pages of that site. Earlier requests are then void, but pages requested again keep
    their turns, since otherwise pages of a site that is clustered often would wait forever.
    """
    trace = tracing.current()
    return {
        "new_lane": lanes[0],
        "again_lane": lanes[1],
        "generation": generation,
        "extracted": list(page_ids),
        "unchanged": list(unchanged),
        "clustered_site": clustered_site,
        "trace": json.dumps(trace) if trace else None,
    }


def request_extractions(session: Session, *args: Any, **kwargs: Any) -> None:
    """Enqueue extractions; the arguments are those of `extraction_params`."""
    session.execute(_REQUEST_EXTRACTIONS, extraction_params(*args, **kwargs))


def add_message(
    session: Session,
    *,
    exchange: str,
    routing_key: str,
    body: bytes,
    headers: Mapping[str, Any] | None = None,
    message_id: str | None = None,
) -> None:
    """Enqueue a plain message."""
    params = {"exchange": exchange, "routing_key": routing_key, "message_id": message_id}
    content = {"headers": json.dumps(dict(headers or {})), "body": packed_body(body)}
    session.execute(SQL.add_message, params | content)


_TAKE_NEXT = SQL.take_next.columns(
    OutboxEntry.__table__.columns["lane"],
    *(OutboxEntry.__table__.columns[name] for name in WaitingEntry._fields),
)


def packed_body(body: bytes) -> bytes:
    """Return a message body in its stored form."""
    # A quarantined body that looks packed is packed again, so that unpacking restores it.
    needs_packing = len(body) in PACKED_BYTES or body.startswith(ZSTANDARD)
    return pack(body, PACKING_LEVEL) if needs_packing else body


def unpacked_body(body: bytes) -> bytes:
    """Return a message body from its stored form; raise `DamagedBytesError` if it is damaged."""
    if not body.startswith(ZSTANDARD):
        return body
    try:
        return unpack(body, MAX_BODY_BYTES)
    except DamagedBytesError as error:
        raise DamagedBytesError(
            f"the stored bytes of the message are damaged: {error}; drop the message, and run"
            " detourage reprocess SITE, which sends the site's articles again"
        ) from error


class LaneQuota(NamedTuple):
    """Number of entries to take from a lane, and how many of them are reserved for short queues."""

    total: int
    for_short_queues: int


def take_next(
    session: Session,
    quotas: Mapping[str, LaneQuota],
    *,
    max_bytes: int,
    published: Sequence[int] = (),
) -> dict[str, list[WaitingEntry]]:
    """Lock and return the next entries of each lane: at least one, then more up to `max_bytes`.

    Entries that were `published`, but not removed yet, are excluded.
    """
    params = {
        "lanes": list(quotas),
        "numbers": [quota.total for quota in quotas.values()],
        "shares": [quota.for_short_queues for quota in quotas.values()],
        "max_bytes": max_bytes,
        "published": list(published),
    }
    taken: dict[str, list[WaitingEntry]] = {lane: [] for lane in quotas}
    for lane, *columns in session.execute(_TAKE_NEXT, params):
        taken[lane].append(WaitingEntry(*columns))
    return taken


def remove(session: Session, entry_ids: Sequence[int]) -> None:
    """Remove entries confirmed by the broker, and record that their turns were served."""
    session.execute(SQL.remove, {"ids": list(entry_ids)})


def refused_entries(session: Session) -> Sequence[OutboxEntry]:
    """Return the entries in the relay's quarantine, oldest first."""
    params = {"message_id": None}
    return session.scalars(select(OutboxEntry).from_statement(SQL.refused), params).all()
