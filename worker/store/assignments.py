"""Assignment of pages to a generation's groups between clusterings."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from models.tables import GroupRepresentative, Membership, StoredPage, TemplateGroup
from worker.store.groups import NewMembership


@dataclass(frozen=True)
class Representative:
    """A representative tree of a group."""

    group_number: int
    tree_id: int


@dataclass(frozen=True)
class Outlier:
    """A page that fits no group of a generation."""

    page_id: int
    url: str
    tree_id: int


def representatives(session: Session, site_id: int, generation: int) -> list[Representative]:
    """Return the representative trees of a generation, by group."""
    rows = session.execute(
        select(GroupRepresentative.group_number, GroupRepresentative.tree_id)
        .where(GroupRepresentative.site_id == site_id, GroupRepresentative.generation == generation)
        .order_by(GroupRepresentative.group_number, GroupRepresentative.tree_id)
    )
    return [Representative(number, tree_id) for number, tree_id in rows]


def pivot_of(session: Session, site_id: int, generation: int, group_number: int) -> int:
    """Return the ID of a group's pivot, with which its other pages are compared."""
    return session.scalars(
        select(TemplateGroup.representative_id).where(
            TemplateGroup.site_id == site_id,
            TemplateGroup.generation == generation,
            TemplateGroup.number == group_number,
        )
    ).one()


def newest_outliers(
    session: Session, site_id: int, generation: int, limit: int
) -> Sequence[Outlier]:
    """Return the newest outliers of a generation, ordered by URL.

    Pages without HTML are excluded because they cannot be extracted with a group.
    """
    rows = session.execute(
        select(StoredPage.id, StoredPage.url, StoredPage.tree_id)
        .join(Membership, Membership.page_id == StoredPage.id)
        .where(
            Membership.site_id == site_id,
            Membership.generation == generation,
            Membership.group_number.is_(None),
            StoredPage.tree_id.is_not(None),
            StoredPage.html_removed_at.is_(None),
        )
        .order_by(StoredPage.received_at.desc(), StoredPage.id.desc())
        .limit(limit)
    )
    return sorted(
        (Outlier(page_id, url, tree_id) for page_id, url, tree_id in rows if tree_id is not None),
        key=lambda outlier: outlier.url,
    )


def place_page(session: Session, site_id: int, generation: int, membership: NewMembership) -> None:
    """Insert or replace the membership of a page in a generation."""
    place = {"site_id": site_id, "generation": generation, **vars(membership)}
    session.execute(_PLACE_PAGE, place)


_PLACE_PAGE = text("""
    WITH former AS (
        SELECT group_number FROM memberships
        WHERE page_id = :page_id AND generation = :generation
    ), placed AS (
        INSERT INTO memberships
            (page_id, generation, site_id, group_number, role, pivot_id, confidence)
        VALUES
            (:page_id, :generation, :site_id, :group_number, :role, :pivot_id, :confidence)
        ON CONFLICT (page_id, generation) DO UPDATE SET
            (group_number, role, pivot_id, confidence) = (
                excluded.group_number, excluded.role, excluded.pivot_id, excluded.confidence
            )
    )
    UPDATE template_groups SET size = size + CASE number WHEN :group_number THEN 1 ELSE -1 END
    WHERE site_id = :site_id AND generation = :generation
        AND (number IS NOT DISTINCT FROM :group_number)
        <> (number IN (SELECT group_number FROM former WHERE group_number IS NOT NULL))
""")


def place_as_outliers(
    session: Session, site_id: int, generation: int, page_ids: Sequence[int]
) -> None:
    """Add pages to a generation as outliers, except those that already have a membership in it."""
    session.execute(
        _PLACE_AS_OUTLIERS,
        {"site_id": site_id, "generation": generation, "page_ids": list(page_ids)},
    )


_PLACE_AS_OUTLIERS = text("""
    INSERT INTO memberships (page_id, generation, site_id, role)
    SELECT unnest(CAST(:page_ids AS bigint[])), :generation, :site_id, 'outlier'
    ON CONFLICT (page_id, generation) DO NOTHING
""")
