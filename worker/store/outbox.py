"""The transactional outbox: messages are written in the transaction that causes them.

A crash between commit and publish loses nothing, since the relay finds the entry afterwards. A
crash between publish and removal publishes the message twice, which every consumer tolerates.

Tasks of one kind are published round-robin by site, however many a site enqueues: start-time fair
queueing (Goyal, Vin and Cheng 1996) with equal task lengths. A task's position follows that of the
site's previous task, or is the first of the current round if that is later, so that a site neither
waits for another site's backlog nor saves up turns. A round consists of up to `QUANTUM` tasks of
each site.

A task for a site with no waiting tasks precedes the backlogs of all other sites, at the head of the
current round, like new flows in fq_codel (RFC 8290). It counts against the site's quantum in that
round, which the relay records when publishing (`ServedTurn`), so a site that always has one waiting
task gets only its share. For tasks of unequal cost, the caller sets the turns.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Select,
    Text,
    and_,
    any_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, Insert, array, insert
from sqlalchemy.orm import Session

from models.tables import OutboxEntry, ServedTurn
from worker.store.statements import rows_only

QUANTUM = 8
"""Tasks per site and round. A site that sends a page every few seconds never falls behind a
backlog, and a batched task contains the same number of pages."""

_ROUND = 2 * QUANTUM
"""Turns per round: first the turns of its head, then the turns of the backlogs."""

_WHOLE_LANE = 0
"""Site ID that represents the whole lane in `ServedTurn`."""


class Waiting(NamedTuple):
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
    session: Session, task: str, wanted: Sequence[tuple[int | None, Mapping[str, Any]]]
) -> None:
    """Enqueue tasks of one kind, each with its site (or None) and its arguments."""
    if not wanted:
        return
    session.execute(
        _ADD_TASKS,
        {
            "task": task,
            "sites": [site_id for site_id, _ in wanted],
            "arguments": [json.dumps(dict(arguments)) for _, arguments in wanted],
            "places": _places_within_sites(site_id for site_id, _ in wanted),
        },
    )


def _places_within_sites(site_ids: Iterable[int | None]) -> list[int]:
    seen: Counter[int | None] = Counter()
    places = []
    for site_id in site_ids:
        seen[site_id] += 1
        places.append(seen[site_id])
    return places


def _adding_tasks() -> Insert:
    asked = (
        func.unnest(
            bindparam("sites", type_=ARRAY(BigInteger)),
            bindparam("arguments", type_=ARRAY(Text)),
            bindparam("places", type_=ARRAY(BigInteger)),
        )
        .table_valued("site_id", "arguments", "place", name="asked")
        .render_derived()
    )
    lane = bindparam("task", type_=Text)
    waiting = select(func.max(OutboxEntry.turn)).where(
        OutboxEntry.lane == lane, OutboxEntry.site_id == asked.c.site_id
    )
    last = func.greatest(
        waiting.scalar_subquery(), _served(lane, asked.c.site_id), type_=BigInteger
    )
    of_site = select(
        asked.c.site_id,
        asked.c.arguments,
        asked.c.place,
        last.label("own"),
        _round_of(lane).label("round"),
    ).subquery()
    own, served_round = of_site.c.own, of_site.c.round
    after_own = own // _ROUND * QUANTUM + own % QUANTUM + 1
    first = func.greatest(after_own, served_round * QUANTUM, type_=BigInteger)
    place = first + of_site.c.place - 1
    # In this round, the site has had tasks only at the head, if any.
    is_head = and_(
        or_(own.is_(None), own // _ROUND < served_round, own % _ROUND < QUANTUM),
        place // QUANTUM == served_round,
    )
    turn = place // QUANTUM * _ROUND + place % QUANTUM + case((is_head, 0), else_=QUANTUM)
    return (
        insert(OutboxEntry)
        .from_select(
            ["task", "site_id", "arguments", "turn"],
            select(
                bindparam("task", type_=Text),
                of_site.c.site_id,
                cast(of_site.c.arguments, JSONB),
                turn,
            ),
        )
        .execution_options(dml_strategy="raw")
    )


def _round_of(lane: ColumnElement[str]) -> ColumnElement[int]:
    """Return the round being served, or a new round if the lane is empty.

    All sites are new to a new round. Otherwise, tasks that a site had while there was no backlog
    would later place it behind one.
    """
    first = select(func.min(OutboxEntry.turn)).where(OutboxEntry.lane == lane).scalar_subquery()
    served = _served(lane, _WHOLE_LANE)
    return func.greatest(
        func.coalesce(first // _ROUND, served // _ROUND + 1, 0), served // _ROUND, type_=BigInteger
    )


def _served(lane: ColumnElement[str], site_id: ColumnElement[int] | int) -> ColumnElement[int]:
    return (
        select(ServedTurn.turn)
        .where(ServedTurn.lane == lane, ServedTurn.site_id == site_id)
        .scalar_subquery()
    )


_ADD_TASKS = rows_only(_adding_tasks())


def clock(session: Session) -> int:
    """Return the current time in milliseconds, for lanes whose turns are timestamps."""
    now = cast(func.extract("epoch", func.now()) * 1000, BigInteger)
    return session.scalars(select(now)).one()


def add_tasks_in_turn(
    session: Session, task: str, wanted: Sequence[tuple[int, Mapping[str, Any], int]]
) -> None:
    """Enqueue tasks of one kind, each with its site, its arguments and its turn."""
    if wanted:
        session.execute(
            _ADD_TASKS_IN_TURN,
            [
                {"task": task, "site_id": site_id, "arguments": dict(arguments), "turn": turn}
                for site_id, arguments, turn in wanted
            ],
        )


_ADD_TASKS_IN_TURN = insert(OutboxEntry).execution_options(dml_strategy="raw")


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
    session.add(
        OutboxEntry(
            exchange=exchange,
            routing_key=routing_key,
            body=body,
            headers=dict(headers or {}),
            message_id=message_id,
        )
    )


_ASKED_LANE = func.unnest(bindparam("lanes", type_=ARRAY(Text))).column_valued("asked")
_LANES_WAITING = rows_only(
    select(_ASKED_LANE).where(exists().where(OutboxEntry.lane == _ASKED_LANE))
)


def _taking_next() -> Select[Any]:
    in_turn = (OutboxEntry.turn, OutboxEntry.id)
    locked = (
        select(
            OutboxEntry.id,
            OutboxEntry.turn,
            func.coalesce(func.octet_length(OutboxEntry.body), 0).label("size"),
        )
        .where(OutboxEntry.lane == bindparam("lane"))
        .order_by(*in_turn)
        .limit(bindparam("number"))
        .with_for_update(skip_locked=True)
        .cte("locked")
    )
    before = func.sum(locked.c.size).over(order_by=(locked.c.turn, locked.c.id)) - locked.c.size
    chosen = select(locked.c.id, before.label("before")).cte("chosen")
    return (
        select(*(getattr(OutboxEntry, name) for name in Waiting._fields))
        .join(chosen, chosen.c.id == OutboxEntry.id)
        .where(chosen.c.before < bindparam("max_bytes"))
        .order_by(*in_turn)
    )


_TAKE_NEXT = rows_only(_taking_next())


def _removing() -> Insert:
    removed = (
        delete(OutboxEntry)
        .where(OutboxEntry.id == any_(bindparam("ids", type_=ARRAY(BigInteger))))
        .returning(OutboxEntry.lane, OutboxEntry.site_id, OutboxEntry.turn)
        .cte("removed")
    )
    site_id = func.unnest(array([removed.c.site_id, literal(_WHOLE_LANE, BigInteger)]))
    each = (
        select(removed.c.lane, site_id.label("site_id"), removed.c.turn)
        .where(removed.c.site_id.is_not(None))
        .subquery()
    )
    add = insert(ServedTurn).from_select(
        ["lane", "site_id", "turn"],
        select(each.c.lane, each.c.site_id, func.max(each.c.turn))
        .group_by(each.c.lane, each.c.site_id)
        # Relays that update the same sites in different orders would deadlock.
        .order_by(each.c.lane, each.c.site_id),
    )
    return add.on_conflict_do_update(
        index_elements=[ServedTurn.lane, ServedTurn.site_id],
        set_={"turn": func.greatest(ServedTurn.turn, add.excluded.turn)},
    ).execution_options(dml_strategy="raw")


_REMOVE = rows_only(_removing())


@dataclass(frozen=True)
class NewMessage:
    """A plain message to publish."""

    exchange: str
    routing_key: str
    body: bytes
    message_id: str


def add_messages(session: Session, messages: Sequence[NewMessage]) -> None:
    """Enqueue plain messages."""
    session.execute(_ADD_MESSAGES, [{**vars(message), "headers": {}} for message in messages])


_ADD_MESSAGES = rows_only(insert(OutboxEntry).execution_options(dml_strategy="raw"))


def lanes_waiting(session: Session, lanes: Collection[str]) -> Sequence[str]:
    """Return the given lanes that have entries."""
    return session.scalars(_LANES_WAITING, {"lanes": list(lanes)}).all()


def take_next(session: Session, lane: str, limit: int, *, max_bytes: int) -> Sequence[Waiting]:
    """Lock and return the next entries of a lane, skipping those that another relay holds.

    No further entries are added once the bodies total ``max_bytes``; the first entry is returned
    whatever its size.
    """
    rows = session.execute(_TAKE_NEXT, {"lane": lane, "number": limit, "max_bytes": max_bytes})
    return [Waiting(*row) for row in rows]


def remove(session: Session, entry_ids: Sequence[int]) -> None:
    """Remove entries confirmed by the broker, and record their turns as served."""
    session.execute(_REMOVE, {"ids": list(entry_ids)})


def refuse(session: Session, entry_id: int, refusal: str) -> None:
    """Set aside an entry refused by the broker, recording the broker's reason."""
    session.execute(
        update(OutboxEntry)
        .where(OutboxEntry.id == entry_id)
        .values(refused_at=func.now(), refusal=refusal)
    )


def refused(
    session: Session, message_id: str | None = None, *, limit: int | None = None
) -> Sequence[OutboxEntry]:
    """Return the entries refused by the broker, optionally of one message ID, oldest first."""
    query = select(OutboxEntry).where(*_is_refused(message_id)).order_by(OutboxEntry.id)
    return session.scalars(query.limit(limit)).all()


def retry_refused(
    session: Session, message_id: str | None = None, *, entry_ids: Collection[int] | None = None
) -> int:
    """Hand refused entries back to the relay, and return their number."""
    again = update(OutboxEntry).where(*_is_refused(message_id, entry_ids))
    return len(
        session.scalars(
            again.values(refused_at=None, refusal=None).returning(OutboxEntry.id),
            execution_options={"synchronize_session": False},
        ).all()
    )


def drop_refused(
    session: Session, message_id: str | None = None, *, entry_ids: Collection[int] | None = None
) -> int:
    """Delete refused entries permanently, and return their number."""
    gone = delete(OutboxEntry).where(*_is_refused(message_id, entry_ids)).returning(OutboxEntry.id)
    return len(session.scalars(gone, execution_options={"synchronize_session": False}).all())


def _is_refused(
    message_id: str | None, entry_ids: Collection[int] | None = None
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [OutboxEntry.refused_at.is_not(None)]
    if message_id is not None:
        conditions.append(OutboxEntry.message_id == message_id)
    if entry_ids is not None:
        conditions.append(OutboxEntry.id.in_(entry_ids))
    return conditions


def withdraw(
    session: Session, tasks: Sequence[str], site_id: int, argument: str, values: list[int]
) -> None:
    """Remove a site's tasks that match values of one argument, except those held by a relay."""
    void = (
        select(OutboxEntry.id)
        .where(
            OutboxEntry.lane.in_(tasks),
            OutboxEntry.site_id == site_id,
            cast(OutboxEntry.arguments[argument].astext, BigInteger).in_(values),
        )
        .with_for_update(skip_locked=True)
    )
    session.execute(delete(OutboxEntry).where(OutboxEntry.id.in_(void)))


def is_waiting(session: Session, task: str, site_id: int | None = None) -> bool:
    """Return whether tasks of a kind, optionally for one site, are waiting to be published."""
    query = exists().where(OutboxEntry.lane == task)
    if site_id is not None:
        query = query.where(OutboxEntry.site_id == site_id)
    return bool(session.scalar(select(query)))


def sites_waiting(session: Session, task: str) -> set[int | None]:
    """Return the sites for which tasks of a kind are waiting to be published."""
    return set(session.scalars(select(OutboxEntry.site_id).where(OutboxEntry.lane == task)))


def count(session: Session) -> int:
    """Return the number of waiting entries."""
    waiting = select(func.count()).where(OutboxEntry.lane.is_not(None))
    return session.scalar(waiting) or 0
