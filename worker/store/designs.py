"""History of a site's groups and redesigns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from models.tables import DesignChange, Generation, Membership, StoredPage, TemplateGroup
from worker.store.pages import only_sites


@dataclass(frozen=True)
class DatedPage:
    """A page with its dates and its group, which is None for an outlier.

    A page sent without a fetch date is not dated; its time of receipt is used instead.
    """

    url: str
    fetched_at: datetime
    group_number: int | None
    received_at: datetime
    is_dated: bool


@dataclass(frozen=True)
class GroupHistory:
    """A group across the generations of its site.

    ``since`` and ``until`` are the dates of the first and latest clustering that found it. ``size``
    is its number of pages in the site's latest generation (0 if it no longer exists), ``largest``
    the maximum over all generations, and ``example`` the URL of its latest pivot.
    """

    number: int
    since: datetime
    until: datetime
    size: int
    largest: int
    example: str


def newest_pages(
    session: Session, site_id: int, generation: int, limit: int
) -> Sequence[DatedPage]:
    """Return the most recently fetched pages of a generation, oldest first.

    A page sent without a fetch date counts as fetched at its time of receipt.
    """
    fetched_at = func.coalesce(StoredPage.fetched_at, StoredPage.received_at)
    rows = session.execute(
        select(
            StoredPage.url,
            fetched_at,
            Membership.group_number,
            StoredPage.received_at,
            StoredPage.fetched_at.is_not(None),
        )
        .join(Membership, Membership.page_id == StoredPage.id)
        .where(Membership.site_id == site_id, Membership.generation == generation)
        .order_by(fetched_at.desc(), StoredPage.url.desc())
        .limit(limit)
    )
    return [DatedPage(*row) for row in reversed(rows.all())]


def note_change(session: Session, change: DesignChange) -> bool:
    """Store a redesign, and return whether it is new.

    If it began before the newest page that was seen when the latest redesign was stored, it is the
    same redesign, which is then updated.
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


def group_histories(session: Session, site_id: int) -> list[GroupHistory]:
    """Return the histories of all past and present groups of a site, ordered by number."""
    last_generation = (
        select(func.max(Generation.number)).where(Generation.site_id == site_id).scalar_subquery()
    )
    through = (
        select(
            TemplateGroup.number,
            func.min(Generation.created_at).label("since"),
            func.max(Generation.created_at).label("until"),
            func.max(TemplateGroup.generation).label("generation"),
            func.max(TemplateGroup.size).label("largest"),
        )
        .join(
            Generation,
            (Generation.site_id == TemplateGroup.site_id)
            & (Generation.number == TemplateGroup.generation),
        )
        .where(TemplateGroup.site_id == site_id)
        .group_by(TemplateGroup.number)
        .subquery()
    )
    rows = session.execute(
        select(
            through.c.number,
            through.c.since,
            through.c.until,
            TemplateGroup.size,
            through.c.generation == last_generation,
            through.c.largest,
            StoredPage.url,
        )
        .join(
            TemplateGroup,
            (TemplateGroup.site_id == site_id)
            & (TemplateGroup.number == through.c.number)
            & (TemplateGroup.generation == through.c.generation),
        )
        .join(StoredPage, StoredPage.id == TemplateGroup.representative_id)
        .order_by(through.c.number)
    )
    return [
        GroupHistory(number, since, until, size if is_present else 0, largest, url)
        for number, since, until, size, is_present, largest, url in rows
    ]
