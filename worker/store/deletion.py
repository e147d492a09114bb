"""Deletion of sites."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.store import story_arrivals
from worker.store.database import sql

PAGES_AT_ONCE = 20
"""Number of pages deleted at a time."""

_UNGROUP = (
    # A site of version 0 is not clustered.
    "UPDATE sites SET version = 0 WHERE id = :site_id",
    "DELETE FROM outbox WHERE site_id = :site_id AND task IS NOT NULL",
    *(
        f"DELETE FROM {table} WHERE site_id = :site_id"  # noqa: S608
        for table in (
            "clustering_requests",
            "clustering_attempts",
            "site_comparisons",
            "reference_sets",
            "group_representatives",
            "template_groups",
            "design_changes",
            "memberships",
            "generations",
        )
    ),
)


def ungroup(session: Session, site_id: int) -> None:
    """Delete everything that refers to more than one page of a locked site."""
    for statement in _UNGROUP:
        session.execute(sql(statement), {"site_id": site_id})


def forget_some(session: Session, site_id: int) -> tuple[list[int], list[int]]:
    """Lock some pages of a site, and request that they leave their stories.

    Returns the IDs of the pages, and the IDs of those that must leave a story.
    """
    query = sql("SELECT id FROM pages WHERE site_id = :site_id ORDER BY id LIMIT :most FOR UPDATE")
    wanted = {"site_id": site_id, "most": PAGES_AT_ONCE}
    ids = session.scalars(query, wanted).all()
    story_arrivals.add_gone(session, ids)
    leaving = sql("SELECT page_id FROM story_arrivals WHERE page_id = ANY (:ids) ORDER BY page_id")
    return list(ids), list(session.scalars(leaving, {"ids": list(ids)}))


def delete_pages(session: Session, page_ids: Sequence[int]) -> None:
    """Delete pages with everything that belongs to them."""
    session.execute(sql("DELETE FROM pages WHERE id = ANY (:ids)"), {"ids": list(page_ids)})


def delete_site(session: Session, site_id: int) -> None:
    """Delete a site without pages."""
    # Its pages may have been grouped while they were deleted.
    ungroup(session, site_id)
    session.execute(sql("DELETE FROM sites WHERE id = :site_id"), {"site_id": site_id})
