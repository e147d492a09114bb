"""How much work waits in the store."""

import math
from typing import Any

from sqlalchemy import Integer, Select, bindparam, func, select
from sqlalchemy.orm import Session

from models.tables import OutboxEntry, StoredPage
from worker.store.pages import is_pending
from worker.store.statements import rows_only

NEARLY = 0.9
"""Share of a limit from which it counts as nearly reached, whatever is done at the moment."""


def is_full(session: Session, limit: int) -> bool:
    """Tell whether so many pages wait for an outcome, or so many messages for the relay.

    A limit of 0 is none.
    """
    if not limit:
        return False
    return any(number >= limit for number in session.execute(_WAITING, {"most": limit}).one())


def _numbers_waiting() -> Select[*tuple[Any, ...]]:
    most = bindparam("most", type_=Integer)
    pages = select(StoredPage.id).where(is_pending()).limit(most).subquery()
    messages = select(OutboxEntry.id).where(OutboxEntry.lane.is_not(None)).limit(most).subquery()
    return select(
        *(select(func.count()).select_from(each).scalar_subquery() for each in (pages, messages))
    )


_WAITING = rows_only(_numbers_waiting())


def is_nearly_full(session: Session, limit: int) -> bool:
    """Tell the same of somewhat less than the limit."""
    return is_full(session, math.ceil(limit * NEARLY))
