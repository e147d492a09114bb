"""The transactional outbox: what is to be published is written with what caused it.

A crash between commit and publish loses nothing, since the relay finds the
entry; a crash between publish and removal publishes twice, which every consumer
of the service bears.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from models.tables import OutboxEntry


def add_tasks(session: Session, task: str, arguments: Iterable[Mapping[str, Any]]) -> None:
    """Ask for one Celery task per mapping of arguments."""
    rows = [{"task": task, "arguments": dict(each)} for each in arguments]
    if rows:
        session.execute(insert(OutboxEntry), rows)


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


def take_oldest(session: Session, limit: int) -> Sequence[OutboxEntry]:
    """Lock and return the oldest entries that no other relay holds."""
    return session.scalars(
        select(OutboxEntry).order_by(OutboxEntry.id).limit(limit).with_for_update(skip_locked=True)
    ).all()


def remove(session: Session, entry_ids: Sequence[int]) -> None:
    """Remove entries that the broker has confirmed."""
    session.execute(delete(OutboxEntry).where(OutboxEntry.id.in_(entry_ids)))


def count(session: Session) -> int:
    """Return the number of entries waiting."""
    return session.scalar(select(func.count()).select_from(OutboxEntry)) or 0
