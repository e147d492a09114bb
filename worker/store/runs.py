"""Results of a single command-line run."""

from collections.abc import Iterator
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, delete, func, select, update
from sqlalchemy.orm import Session

from models.tables import ClusteringAttempt, ComparisonBlock, Receipt, Site, StoredPage
from worker.store.pages import is_pending

S = TypeVar("S", bound=Select[*tuple[Any, ...]])


def is_of_run(message_prefix: str) -> ColumnElement[bool]:
    """Condition: the page was received in one of the run's messages."""
    return StoredPage.id.in_(
        select(Receipt.page_id)
        .where(Receipt.message_id.startswith(message_prefix, autoescape=True))
        .distinct()
    )


def of_run(query: S, message_prefix: str) -> S:
    """Restrict a query on stored pages to the pages of a run, ordered by site and URL."""
    return (
        query.join(Site, Site.id == StoredPage.site_id)
        .where(is_of_run(message_prefix))
        .order_by(func.convert_to(Site.key, "UTF8"), func.convert_to(StoredPage.url, "UTF8"))
        .execution_options(yield_per=200)
    )


def received(session: Session, message_prefix: str) -> Iterator[str]:
    """Yield the IDs of a run's received messages, in order."""
    query = (
        select(Receipt.message_id)
        .where(Receipt.message_id.startswith(message_prefix, autoescape=True))
        .distinct()
        .order_by(Receipt.message_id)
    )
    for message_id in session.scalars(query.execution_options(yield_per=1000)):
        assert message_id is not None
        yield message_id


def forget_attempts(session: Session) -> None:
    """Reset the attempt counts of unfinished work once all processes have exited."""
    for statement in (
        update(StoredPage).where(is_pending(), StoredPage.attempts > 0).values(attempts=0),
        update(ComparisonBlock).where(ComparisonBlock.attempts > 0).values(attempts=0),
        delete(ClusteringAttempt).where(ClusteringAttempt.quarantined_at.is_(None)),
    ):
        session.execute(statement.execution_options(synchronize_session=False))
