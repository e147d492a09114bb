"""How much work waits in the store."""

import math
from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Integer,
    Select,
    Text,
    all_,
    bindparam,
    func,
    select,
)
from sqlalchemy.orm import Session

from models.tables import OutboxEntry, StoredPage
from worker.store.pages import is_pending
from worker.store.statements import rows_only

NEARLY = 0.9
"""Share of a limit from which it counts as nearly reached, whatever is done at the moment."""


def is_full(session: Session, limit: int, *, repeated: Collection[str]) -> bool:
    """Tell whether so many pages wait for their first outcome, or so many messages for the relay.

    What comes from a crawler does not wait for what is done again.

    Parameters
    ----------
    session
        The transaction.
    limit
        How many; 0 for any number.
    repeated
        Lanes of the outbox that do not count: of pages that had an outcome before.
    """
    values = {"most": limit, "repeated": list(repeated)}
    return bool(limit) and any(each >= limit for each in session.execute(_FRESH, values).one())


def is_nearly_full(session: Session, limit: int) -> bool:
    """Tell the same of somewhat less than the limit, and of all pages and messages that wait."""
    nearly = math.ceil(limit * NEARLY)
    return bool(limit) and any(
        each >= nearly for each in session.execute(_WAITING, {"most": nearly}).one()
    )


def _numbers(pages: ColumnElement[bool], messages: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    most = bindparam("most", type_=Integer)
    waiting = (
        select(StoredPage.id).where(pages).limit(most).subquery(),
        select(OutboxEntry.id).where(messages).limit(most).subquery(),
    )
    return select(*(select(func.count()).select_from(each).scalar_subquery() for each in waiting))


_REPEATED = bindparam("repeated", type_=ARRAY(Text))
_FRESH = rows_only(_numbers(StoredPage.outcome.is_(None), OutboxEntry.lane != all_(_REPEATED)))
_WAITING = rows_only(_numbers(is_pending(), OutboxEntry.lane.is_not(None)))
