"""How much work waits in the store."""

import math

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from models.tables import OutboxEntry, StoredPage
from worker.store.pages import is_pending

NEARLY = 0.9
"""Share of a limit from which it counts as nearly reached, whatever is done at the moment."""


def is_full(session: Session, limit: int) -> bool:
    """Tell whether so many pages wait for an outcome, or so many messages for the relay.

    A limit of 0 is none.
    """
    if not limit:
        return False
    pages = select(StoredPage.id).where(is_pending()).limit(limit).subquery()
    messages = select(OutboxEntry.id).where(OutboxEntry.lane.is_not(None)).limit(limit).subquery()
    numbers = [
        select(func.count()).select_from(each).scalar_subquery() for each in (pages, messages)
    ]
    return any(number >= limit for number in session.execute(select(*numbers)).one())


def is_nearly_full(session: Session, limit: int) -> bool:
    """Tell the same of somewhat less than the limit."""
    return is_full(session, math.ceil(limit * NEARLY))
