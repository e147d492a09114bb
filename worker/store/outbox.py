"""The transactional outbox: what is to be published is written with what caused it.

A crash between commit and publish loses nothing, since the relay finds the
entry; a crash between publish and removal publishes twice, which every consumer
of the service bears.

Tasks of one kind are published site by site in turn, however many a site asks for: start-time
fair queueing (Goyal, Vin and Cheng 1996) with every task of the same length. A task's turn is
one after the last that its site waits for, or the turn that is being served where that is later,
so that a site neither waits for another's backlog nor saves up turns.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Text,
    bindparam,
    cast,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from models.tables import OutboxEntry


def add_tasks(
    session: Session, task: str, arguments: Iterable[Mapping[str, Any]], *, site_id: int | None
) -> None:
    """Ask for one Celery task per mapping of arguments, all for one site or for none."""
    wanted = [dict(each) for each in arguments]
    if not wanted:
        return
    lane = OutboxEntry.lane == task
    served = select(func.min(OutboxEntry.turn)).where(lane).scalar_subquery()
    own = select(func.max(OutboxEntry.turn)).where(lane, OutboxEntry.site_id == site_id)
    before = func.greatest(served - 1, own.scalar_subquery(), 0)
    each = (
        func.jsonb_array_elements(bindparam("wanted", wanted, JSONB))
        .table_valued("arguments", with_ordinality="place", name="asked")
        .render_derived()
    )
    session.execute(
        insert(OutboxEntry).from_select(
            ["task", "site_id", "arguments", "turn"],
            select(
                literal(task), literal(site_id, BigInteger), each.c.arguments, before + each.c.place
            ),
        )
    )


def add_message(
    session: Session,
    *,
    exchange: str,
    routing_key: str,
    body: bytes,
    headers: Mapping[str, Any] | None = None,
    message_id: str | None = None,
) -> None:
    """Ask for a plain message."""
    session.add(
        OutboxEntry(
            exchange=exchange,
            routing_key=routing_key,
            body=body,
            headers=dict(headers or {}),
            message_id=message_id,
        )
    )


def lanes_waiting(session: Session, lanes: Collection[str]) -> Sequence[str]:
    """Return those of some lanes that have entries."""
    lane = func.unnest(bindparam("lanes", list(lanes), ARRAY(Text))).column_valued("asked")
    return session.scalars(select(lane).where(exists().where(OutboxEntry.lane == lane))).all()


def take_next(session: Session, lane: str, limit: int) -> Sequence[OutboxEntry]:
    """Lock and return the entries of a lane whose turn it is, that no other relay holds."""
    return session.scalars(
        select(OutboxEntry)
        .where(OutboxEntry.lane == lane)
        .order_by(OutboxEntry.turn, OutboxEntry.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    ).all()


def remove(session: Session, entry_ids: Sequence[int]) -> None:
    """Remove entries that the broker has confirmed."""
    session.execute(delete(OutboxEntry).where(OutboxEntry.id.in_(entry_ids)))


def withdraw(session: Session, task: str, site_id: int, argument: str, values: list[int]) -> None:
    """Remove the tasks of a site that no relay holds and whose argument is one of some values."""
    void = (
        select(OutboxEntry.id)
        .where(
            OutboxEntry.lane == task,
            OutboxEntry.site_id == site_id,
            cast(OutboxEntry.arguments[argument].astext, BigInteger).in_(values),
        )
        .with_for_update(skip_locked=True)
    )
    session.execute(delete(OutboxEntry).where(OutboxEntry.id.in_(void)))


def is_waiting(session: Session, task: str, site_id: int | None = None) -> bool:
    """Tell whether tasks of a kind, of a site if one is given, are still to be published."""
    query = exists().where(OutboxEntry.lane == task)
    if site_id is not None:
        query = query.where(OutboxEntry.site_id == site_id)
    return bool(session.scalar(select(query)))


def count(session: Session) -> int:
    """Return the number of entries waiting."""
    return session.scalar(select(func.count()).select_from(OutboxEntry)) or 0
