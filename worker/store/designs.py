"""History of a site's groups and redesigns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from models.tables import DesignChange
from worker.store.pages import only_sites


@dataclass(frozen=True)
class DatedPage:
    """A page with its dates and its group, which is None for an outlier.

    Without a fetch date, ``is_dated`` is false and ``fetched_at`` is the time of receipt.
    """

    url: str
    fetched_at: datetime
    group_number: int | None
    received_at: datetime
    is_dated: bool


@dataclass(frozen=True)
class GroupHistory:
    """A group across the generations of its site.

    ``since`` and ``until`` are the dates of the first and latest clustering that found it, ``size``
    is its number of pages in the latest generation (0 if gone), ``largest`` the maximum over all
    generations, and ``example`` the URL of its latest pivot.
    """

    number: int
    since: datetime
    until: datetime
    size: int
    largest: int
    example: str


_NEWEST = text("""
    SELECT url, coalesce(fetched_at, received_at) AS fetched, group_number, received_at,
        fetched_at IS NOT NULL
    FROM memberships JOIN pages ON pages.id = page_id
    WHERE memberships.site_id = :site_id AND memberships.generation = :generation
    ORDER BY fetched DESC, url DESC LIMIT :number
""")


def newest_pages(
    session: Session, site_id: int, generation: int, limit: int
) -> Sequence[DatedPage]:
    """Return the most recently fetched pages of a generation, oldest first; see `DatedPage`."""
    asked = {"site_id": site_id, "generation": generation, "number": limit}
    rows = session.execute(_NEWEST, asked).all()
    return [DatedPage(*row) for row in reversed(rows)]


def note_change(session: Session, change: DesignChange) -> bool:
    """Store a redesign, and return whether it is new.

    A redesign that began no later than ``seen_until`` of the latest stored one only updates it.
    """
    last = last_change(session, change.site_id)
    if last is None or change.since > last.seen_until:
        session.add(change)
        return True
    last.seen_until = max(last.seen_until, change.seen_until)
    last.new_share = change.new_share
    last.outlier_share = change.outlier_share
    last.new_groups = change.new_groups
    last.gone_groups = change.gone_groups
    return False


def last_change(session: Session, site_id: int) -> DesignChange | None:
    """Return a site's latest redesign."""
    return session.scalar(
        select(DesignChange)
        .where(DesignChange.site_id == site_id)
        .order_by(DesignChange.generation.desc())
        .limit(1)
    )


def last_changes(session: Session, site_ids: Sequence[int] | None) -> dict[int, datetime]:
    """Return the start of the latest redesign of the given sites (all if None), by site ID."""
    query = (
        select(DesignChange.site_id, DesignChange.since)
        .ext(distinct_on(DesignChange.site_id))
        .order_by(DesignChange.site_id, DesignChange.generation.desc())
    )
    return dict(session.execute(only_sites(query, DesignChange.site_id, site_ids)).all())


def changes(session: Session, site_id: int) -> Sequence[DesignChange]:
    """Return all redesigns of a site, oldest first."""
    return session.scalars(
        select(DesignChange)
        .where(DesignChange.site_id == site_id)
        .order_by(DesignChange.generation)
    ).all()


_GROUP_HISTORIES = text("""
    SELECT DISTINCT ON (template_groups.number) template_groups.number,
        min(created_at) OVER through, max(created_at) OVER through,
        CASE WHEN template_groups.generation = (
            SELECT max(number) FROM generations WHERE site_id = :site_id
        ) THEN size ELSE 0 END,
        max(size) OVER through, url
    FROM template_groups
    JOIN generations ON generations.site_id = template_groups.site_id
        AND generations.number = template_groups.generation
    JOIN pages ON pages.id = representative_id
    WHERE template_groups.site_id = :site_id
    WINDOW through AS (PARTITION BY template_groups.number)
    ORDER BY template_groups.number, template_groups.generation DESC
""")


def group_histories(session: Session, site_id: int) -> list[GroupHistory]:
    """Return the history of all past and present groups of a site, by number."""
    rows = session.execute(_GROUP_HISTORIES, {"site_id": site_id})
    return [GroupHistory(*row) for row in rows]
