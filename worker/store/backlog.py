"""Limits on the work pending in the store."""

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
"""Fraction of a limit at which the limit counts as nearly reached."""


def is_full(session: Session, limit: int, *, repeated: Collection[str]) -> bool:
    """Return whether pages without an outcome, or unpublished messages, reach a limit (0: none).

    Messages in ``repeated`` lanes are excluded, so that reprocessing does not block the intake.
    """
    values = {"most": limit, "repeated": list(repeated)}
    return bool(limit) and any(each >= limit for each in session.execute(_FRESH, values).one())


def is_nearly_full(session: Session, limit: int) -> bool:
    """Return whether pending pages or messages, including repeated ones, nearly reach a limit."""
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
