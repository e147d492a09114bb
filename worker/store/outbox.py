"""The transactional outbox: messages are written in the transaction that causes them.

After a crash between commit and publish, the relay still finds the entry, so nothing is lost. After
a crash between publish and removal, the message is published twice, which every consumer tolerates.

Tasks of one kind share a lane, and sites take turns in it: start-time fair queueing (Goyal, Vin and
Cheng 1996) with equal task lengths. A task's turn follows the turn last served in the lane or, if
that is later, the turn of the site's own last task. No clock is involved: what a site waits for is
the tasks of other sites, at most one of each per turn, and a site that was idle gets no credit.

A lane has two halves with turns of their own: short queues, of sites with at most `SHORT_QUEUE`
waiting tasks, and backlogs, which a site leaves once all its tasks are served. Each gets half of
the places, and any places that the other leaves unused, so neither starves, and a page of a site
with little to do need not wait for a task of every site with a backlog. The turns of short queues
are negative.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Boolean, bindparam, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from detourage.limits import MAX_BODY_BYTES
from detourage.packed_bytes import ZSTANDARD, DamagedBytesError, pack, unpack
from models.tables import OutboxEntry
from worker import tracing
from worker.store.database import rows_only, sql
from worker.tracing import Context

SHORT_QUEUE = 8
"""Maximum number of waiting tasks in a short queue: the number of pages in a batched task."""

PACKED_BYTES = range(1_000, 1 << 17)
"""Lengths of messages that are stored compressed. Longer ones are left to PostgreSQL, so that
`take_next` knows how much memory they take."""

PACKING_LEVEL = 3
"""Zstandard level; higher ones save less than 5 % of an article message."""

FIRST_TURN = -(2**62)
"""Turn before those of all short queues, for work that already had its turn and is continued."""


class WaitingEntry(NamedTuple):
    """An entry as published by the relay; see `OutboxEntry`."""

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
    """Enqueue one Celery task per mapping of arguments, all for the same site, or for none."""
    add_tasks_of_sites(session, task, [(site_id, each) for each in arguments])


def add_tasks_of_sites(
    session: Session,
    task: str,
    wanted: Sequence[tuple[int | None, Mapping[str, Any]]],
    traces: Sequence[Context] | None = None,
    *,
    is_short: bool | None = None,
) -> None:
    """Enqueue tasks of one kind, each with its site (or None) and its arguments.

    They continue the given traces or, by default, the current one. `is_short` selects the half of
    the lane; by default, the number of the site's waiting tasks does.
    """
    if not wanted:
        return
    session.execute(
        _ADD_TASKS,
        {
            "task": task,
            "sites": [site_id for site_id, _ in wanted],
            "arguments": [json.dumps(dict(arguments)) for _, arguments in wanted],
            "traces": [json.dumps(trace) if trace else None for trace in _traces(wanted, traces)],
            "is_short": is_short,
        },
    )


def _traces(wanted: Sequence[object], traces: Sequence[Context] | None) -> Sequence[Context]:
    return [tracing.current()] * len(wanted) if traces is None else traces


_ADD_TASKS = sql("""
    WITH requested AS (
        SELECT *, row_number() OVER (PARTITION BY site_id ORDER BY number) AS place,
            count(*) OVER (PARTITION BY site_id) AS together
        FROM unnest(
            CAST(:sites AS bigint[]), CAST(:arguments AS text[]), CAST(:traces AS text[])
        ) WITH ORDINALITY AS requested (site_id, arguments, trace, number)
    ), halved AS (
        SELECT requested.*, own.last, coalesce(
            :is_short, site_id IS NOT NULL
                AND together + own.number <= :short AND coalesce(own.last, -1) < 0
        ) AS is_short
        FROM requested CROSS JOIN LATERAL (
            SELECT count(*) AS number, max(turn) AS last FROM (
                SELECT turn FROM outbox
                WHERE lane = :task AND outbox.site_id = requested.site_id
                ORDER BY turn DESC LIMIT :short
            ) AS latest
        ) AS own
    ), served AS (
        SELECT coalesce(max(turn) FILTER (WHERE is_short), :first) AS short,
            coalesce(max(turn) FILTER (WHERE NOT is_short), 0) AS backlog
        FROM outbox_turns WHERE lane = :task
    ), grown AS (
        -- Queues that are no longer short; tasks that a relay is publishing are left to it.
        SELECT id, turn, site_id FROM outbox
        WHERE CAST(:is_short AS boolean) IS NULL AND lane = :task AND turn < 0 AND site_id IN (
            SELECT site_id FROM halved WHERE NOT is_short AND last < 0
        ) FOR UPDATE SKIP LOCKED
    ), moved AS (
        UPDATE outbox SET turn = served.backlog + ranked.place
        FROM served, (
            SELECT id, row_number() OVER (PARTITION BY site_id ORDER BY turn, id) AS place
            FROM grown
        ) AS ranked
        WHERE outbox.id = ranked.id
    )
    INSERT INTO outbox (task, site_id, arguments, headers, turn)
    SELECT :task, site_id, CAST(arguments AS jsonb), CAST(trace AS jsonb),
        CASE WHEN site_id IS NULL THEN 1 ELSE place END
        + CASE
            WHEN is_short THEN greatest(served.short, CASE WHEN last < 0 THEN last END)
            ELSE greatest(served.backlog, last)
                + (SELECT count(*) FROM grown WHERE grown.site_id = halved.site_id)
        END
    FROM halved, served
    ORDER BY number
""").bindparams(
    bindparam("first", FIRST_TURN, BigInteger),
    bindparam("is_short", type_=Boolean),
    short=SHORT_QUEUE,
)
"""A site that gets a backlog takes its waiting tasks along, so that it has no place in both halves
of the lane."""


_ADD_ONCE = sql("""
    WITH waiting AS MATERIALIZED (
        -- A relay that has locked the entry may publish it before this transaction commits. The
        -- lock taken here makes a relay leave the entry until then.
        SELECT id FROM outbox WHERE lane = :task LIMIT 1 FOR KEY SHARE SKIP LOCKED
    )
    INSERT INTO outbox (task, arguments, headers)
    SELECT :task, '{}', CAST(:trace AS jsonb) WHERE NOT EXISTS (SELECT FROM waiting)
""")


def add_task_once(session: Session, task: str) -> None:
    """Enqueue a task without arguments, unless one is waiting that will see this transaction."""
    trace = tracing.current()
    session.execute(_ADD_ONCE, {"task": task, "trace": json.dumps(trace) if trace else None})


def add_tasks_in_turn(
    session: Session,
    task: str,
    wanted: Sequence[tuple[int, Mapping[str, Any], int]],
    traces: Sequence[Context] | None = None,
) -> None:
    """Enqueue tasks of one kind, each with its site, its arguments and its turn.

    For the traces, see `add_tasks_of_sites`.
    """
    if wanted:
        columns = ("task", "site_id", "arguments", "turn", "headers")
        entries = [
            (task, site_id, dict(arguments), turn, trace or None)
            for (site_id, arguments, turn), trace in zip(
                wanted, _traces(wanted, traces), strict=True
            )
        ]
        session.execute(_ADD_ENTRIES, [dict(zip(columns, entry, strict=True)) for entry in entries])


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
    message = {"exchange": exchange, "routing_key": routing_key, "body": body}
    _add_messages(session, [{**message, "headers": dict(headers or {}), "message_id": message_id}])


_TAKE_NEXT = sql("""
    SELECT asked.lane, entry.*
    FROM unnest(CAST(:lanes AS text[]), CAST(:numbers AS integer[]), CAST(:shares AS integer[]))
        AS asked (lane, number, share)
    CROSS JOIN LATERAL (
        WITH short AS (
            SELECT id, turn, coalesce(octet_length(body), 0) AS size FROM outbox
            WHERE lane = asked.lane AND turn < 0
            ORDER BY turn, id LIMIT asked.number FOR UPDATE SKIP LOCKED
        ), backlog AS (
            SELECT id, turn, coalesce(octet_length(body), 0) AS size FROM outbox
            WHERE lane = asked.lane AND turn >= 0
            ORDER BY turn, id LIMIT (SELECT asked.number - least(count(*), asked.share) FROM short)
            FOR UPDATE SKIP LOCKED
        ), taken AS (
            (SELECT * FROM short
             ORDER BY turn, id LIMIT (SELECT asked.number - count(*) FROM backlog))
            UNION ALL SELECT * FROM backlog
        ), sized AS (
            SELECT id, sum(size) OVER (ORDER BY turn, id) - size AS before FROM taken
        )
        SELECT id, task, arguments, exchange, routing_key, headers, message_id, body
        FROM sized JOIN outbox USING (id)
        WHERE before < :max_bytes
        ORDER BY turn, id
    ) AS entry
""").columns(
    OutboxEntry.__table__.columns["lane"],
    *(OutboxEntry.__table__.columns[name] for name in WaitingEntry._fields),
)


@dataclass(frozen=True)
class NewMessage:
    """A plain message to publish."""

    exchange: str
    routing_key: str
    body: bytes
    message_id: str
    trace: Context = field(default_factory=dict)
    """Trace that the message continues; by default, the current one."""


def add_messages(session: Session, messages: Sequence[NewMessage]) -> None:
    """Enqueue plain messages."""
    entries = [{**vars(message)} for message in messages]
    for entry in entries:
        entry["headers"] = entry.pop("trace") or tracing.current()
    _add_messages(session, entries)


def _add_messages(session: Session, entries: Sequence[dict[str, Any]]) -> None:
    for entry in entries:
        body = entry["body"]
        # A quarantined body may itself be compressed, and must not be unpacked.
        if len(body) in PACKED_BYTES or body.startswith(ZSTANDARD):
            entry["body"] = pack(body, PACKING_LEVEL)
    session.execute(_ADD_ENTRIES, entries)


_ADD_ENTRIES = rows_only(insert(OutboxEntry))


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


def lanes_waiting(session: Session, lanes: Collection[str]) -> Sequence[str]:
    """Return the given lanes that have entries."""
    query = sql("""
        SELECT lane FROM unnest(CAST(:lanes AS text[])) AS asked (lane)
        WHERE EXISTS (SELECT FROM outbox WHERE outbox.lane = asked.lane)
    """)
    return session.scalars(query, {"lanes": list(lanes)}).all()


class Places(NamedTuple):
    """Number of entries to take from a lane, and how many of them may be from short queues first.

    Short queues also get the places that the backlogs leave unused.
    """

    number: int
    short: int


def take_next(
    session: Session, wanted: Mapping[str, Places], *, max_bytes: int
) -> dict[str, list[WaitingEntry]]:
    """Lock and return the next entries of lanes, skipping entries locked by another relay.

    A lane's entries end once their bodies total `max_bytes`, but contain at least one.
    """
    asked = {
        "lanes": list(wanted),
        "numbers": [each.number for each in wanted.values()],
        "shares": [each.short for each in wanted.values()],
        "max_bytes": max_bytes,
    }
    found: dict[str, list[WaitingEntry]] = {lane: [] for lane in wanted}
    for lane, *entry in session.execute(_TAKE_NEXT, asked):
        found[lane].append(WaitingEntry(*entry))
    return found


def remove(session: Session, entry_ids: Sequence[int]) -> None:
    """Remove entries confirmed by the broker, and record that their turns were served."""
    session.execute(_REMOVE, {"ids": list(entry_ids)})


_REMOVE = sql("""
    WITH removed AS (
        DELETE FROM outbox WHERE id = ANY (CAST(:ids AS bigint[])) RETURNING lane, turn
    )
    INSERT INTO outbox_turns (lane, is_short, turn)
    SELECT lane, turn < 0, max(turn) FROM removed WHERE lane IS NOT NULL
    GROUP BY lane, turn < 0
    ORDER BY lane, turn < 0  -- Relays that remove entries of the same lanes lock them in one order.
    ON CONFLICT (lane, is_short) DO UPDATE SET turn = excluded.turn
    WHERE outbox_turns.turn < excluded.turn
""")


def refuse(session: Session, entry_id: int, refusal: str) -> None:
    """Set aside an entry that cannot be published, with the reason."""
    query = sql("UPDATE outbox SET refused_at = now(), refusal = :refusal WHERE id = :id")
    session.execute(query, {"id": entry_id, "refusal": refusal})


_IS_REFUSED = """
    refused_at IS NOT NULL
    AND (CAST(:message_id AS text) IS NULL OR message_id = :message_id)
    AND (CAST(:ids AS bigint[]) IS NULL OR id = ANY (CAST(:ids AS bigint[])))
"""


def refused(
    session: Session, message_id: str | None = None, *, limit: int | None = None
) -> Sequence[OutboxEntry]:
    """Return the entries set aside, optionally with one message ID, oldest first."""
    query = select(OutboxEntry).where(OutboxEntry.refused_at.is_not(None))
    if message_id is not None:
        query = query.where(OutboxEntry.message_id == message_id)
    return session.scalars(query.order_by(OutboxEntry.id).limit(limit)).all()


def retry_refused(
    session: Session, message_id: str | None = None, *, entry_ids: Collection[int] | None = None
) -> int:
    """Return refused entries to the relay, and return their number."""
    query = f"UPDATE outbox SET refused_at = NULL, refusal = NULL WHERE {_IS_REFUSED}"  # noqa: S608
    return _change_refused(session, query, message_id, entry_ids)


def drop_refused(
    session: Session, message_id: str | None = None, *, entry_ids: Collection[int] | None = None
) -> int:
    """Delete refused entries permanently, and return their number."""
    query = f"DELETE FROM outbox WHERE {_IS_REFUSED}"  # noqa: S608
    return _change_refused(session, query, message_id, entry_ids)


def _change_refused(
    session: Session, query: str, message_id: str | None, entry_ids: Collection[int] | None
) -> int:
    ids = None if entry_ids is None else list(entry_ids)
    changed: Any = session.execute(sql(query), {"message_id": message_id, "ids": ids})
    return int(changed.rowcount)


def withdraw(
    session: Session, tasks: Sequence[str], site_id: int, argument: str, values: Collection[int]
) -> dict[tuple[str, int], int]:
    """Remove a site's tasks by the values of one argument; return their turns by task and value.

    Tasks locked by a relay remain. A task requested again can keep its turn.
    """
    withdrawn = {
        "tasks": list(tasks),
        "site_id": site_id,
        "argument": argument,
        "values": list(values),
    }
    query = sql("""
        DELETE FROM outbox
        WHERE id IN (
            SELECT id FROM outbox
            WHERE lane = ANY(CAST(:tasks AS text[])) AND site_id = :site_id
                AND CAST(arguments ->> :argument AS bigint) = ANY(CAST(:values AS bigint[]))
            FOR UPDATE SKIP LOCKED
        )
        RETURNING task, CAST(arguments ->> :argument AS bigint), turn
    """)
    return {(task, value): turn for task, value, turn in session.execute(query, withdrawn).all()}


def is_waiting(session: Session, task: str, site_id: int | None = None) -> bool:
    """Return whether tasks of a kind, optionally for one site, are waiting to be published."""
    query = sql("""
        SELECT EXISTS (
            SELECT FROM outbox
            WHERE lane = :task AND (CAST(:site_id AS bigint) IS NULL OR site_id = :site_id)
        )
    """)
    return bool(session.scalar(query, {"task": task, "site_id": site_id}))


def sites_waiting(session: Session, task: str) -> set[int | None]:
    """Return the sites for which tasks of a kind are waiting to be published."""
    query = sql("SELECT DISTINCT site_id FROM outbox WHERE lane = :task")
    return set(session.scalars(query, {"task": task}))


def count(session: Session) -> int:
    """Return the number of waiting entries."""
    return session.scalar(sql("SELECT count(*) FROM outbox WHERE lane IS NOT NULL")) or 0


def count_refused(session: Session) -> int:
    """Return the number of entries set aside."""
    return session.scalar(sql("SELECT count(*) FROM outbox WHERE lane IS NULL")) or 0
