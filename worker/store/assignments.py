"""Assignment of pages to a generation's groups between clusterings."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import GroupRepresentative, Membership, StoredPage, TemplateGroup
from worker.store.groups import NewMembership, load_membership


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
    former = load_membership(session, membership.page_id, generation)
    former_group = former.group_number if former else None
    values = {
        "group_number": membership.group_number,
        "role": membership.role,
        "pivot_id": membership.pivot_id,
        "confidence": membership.confidence,
    }
    session.execute(
        insert(Membership)
        .values(page_id=membership.page_id, generation=generation, site_id=site_id, **values)
        .on_conflict_do_update(
            index_elements=[Membership.page_id, Membership.generation], set_=values
        )
    )
    if former_group != membership.group_number:
        _resize(session, site_id, generation, former_group, -1)
        _resize(session, site_id, generation, membership.group_number, 1)


def place_as_outliers(
    session: Session, site_id: int, generation: int, page_ids: Sequence[int]
) -> None:
    """Make pages that have no membership in a generation outliers of it."""
    if not page_ids:
        return
    key = {"site_id": site_id, "generation": generation, "role": "outlier"}
    session.execute(
        insert(Membership)
        .values([{**key, "page_id": page_id} for page_id in page_ids])
        .on_conflict_do_nothing(index_elements=[Membership.page_id, Membership.generation])
    )


def _resize(
    session: Session, site_id: int, generation: int, group_number: int | None, pages: int
) -> None:
    if group_number is None:
        return
    session.execute(
        update(TemplateGroup)
        .where(
            TemplateGroup.site_id == site_id,
            TemplateGroup.generation == generation,
            TemplateGroup.number == group_number,
        )
        .values(size=TemplateGroup.size + pages)
    )
