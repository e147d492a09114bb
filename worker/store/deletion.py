"""Deletion of sites."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.store.queries import Statements

SQL = Statements("retention")

PAGES_AT_ONCE = 20
"""Number of pages deleted at a time."""


def ungroup(session: Session, site_id: int) -> None:
    """Delete everything that refers to more than one page of a locked site."""
    session.execute(SQL.ungroup, {"site_id": site_id})


def lock_some(session: Session, site_id: int) -> Sequence[int]:
    """Lock some pages of a site, and return their IDs."""
    return session.scalars(SQL.lock_some_pages, {"site_id": site_id, "most": PAGES_AT_ONCE}).all()


def delete_pages(session: Session, page_ids: Sequence[int]) -> None:
    """Delete pages with everything that belongs to them."""
    session.execute(SQL.delete_pages, {"ids": list(page_ids)})


def delete_site(session: Session, site_id: int) -> None:
    """Delete a site without pages."""
    # Its pages may have been grouped while they were deleted.
    ungroup(session, site_id)
    session.execute(SQL.delete_site, {"site_id": site_id})
