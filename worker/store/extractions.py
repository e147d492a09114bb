"""Extractions that pages wait for."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from models.tables import StoredPage
from worker.store.pages import is_pending


def await_extraction(session: Session, page_ids: Sequence[int], generation: int) -> list[int]:
    """Make pages wait for their extraction with a generation, even if they had one with it.

    Returns those that do, ascending: not pages without a tree, or whose HTML was removed.
    """
    return sorted(
        session.scalars(
            update(StoredPage)
            .where(
                StoredPage.id.in_(page_ids),
                StoredPage.tree_id.is_not(None),
                StoredPage.html_removed_at.is_(None),
            )
            .values(
                generation=generation,
                extracted_generation=generation - 1,
                asked_at=func.now(),
                attempts=0,
            )
            .returning(StoredPage.id)
        )
    )


def begin_attempt(session: Session, page_id: int) -> int:
    """Count that a worker begins with an extraction, and return how often one has."""
    return session.scalars(
        update(StoredPage)
        .where(StoredPage.id == page_id)
        .values(attempts=StoredPage.attempts + 1)
        .returning(StoredPage.attempts)
    ).one()


def take_late(
    session: Session, *, patience_seconds: float, limit: int
) -> dict[int, list[tuple[int, int]]]:
    """Return pages, each with its generation, whose extraction was asked for too long ago.

    They come by the id of their site, and count as asked for again.
    """
    late = (
        select(StoredPage.id)
        .where(
            is_pending(),
            StoredPage.generation > 0,
            StoredPage.tree_id.is_not(None),
            StoredPage.asked_at <= func.now() - timedelta(seconds=patience_seconds),
        )
        .order_by(StoredPage.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    rows = session.execute(
        update(StoredPage)
        .where(StoredPage.id.in_(late))
        .values(asked_at=func.now())
        .returning(StoredPage.site_id, StoredPage.id, StoredPage.generation)
    )
    by_site: dict[int, list[tuple[int, int]]] = {}
    for site_id, page_id, generation in sorted(map(tuple, rows)):
        by_site.setdefault(site_id, []).append((page_id, generation))
    return by_site
