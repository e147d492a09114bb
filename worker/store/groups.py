"""Generations of template groups, and the knowledge learned from pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import (
    LargeBinary,
    bindparam,
    func,
    literal,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import (
    Generation,
    GroupRepresentative,
    Membership,
    StoredPage,
    TemplateGroup,
)
from worker.store.locks import AdvisoryLock
from worker.store.packing import unpack_content
from worker.store.pages import ids_where
from worker.store.provisional import has_clustering
from worker.store.statements import rows_only


@dataclass(frozen=True)
class ComparablePage:
    """A page to be clustered; `extraction_key` is None unless the page has an outcome."""

    id: int
    url: str
    tree_id: int
    content_digest: str
    extraction_key: str | None
    forced: bool
    has_html: bool
    comment_pattern: str | None


@dataclass(frozen=True)
class NewGroup:
    """A group of a new generation.

    ``number`` identifies the group across generations, and ``pivot_id`` is the page with which its
    other pages are compared. New pages are compared with the ``representative_trees``, which are
    distinct. For ``comment_pattern``, see `TemplateGroup.comment_pattern`.
    """

    number: int
    size: int
    pivot_id: int
    representative_trees: Sequence[int]
    comment_pattern: str | None


@dataclass(frozen=True)
class NewMembership:
    """The group assignment of a page in a generation."""

    page_id: int
    group_number: int | None
    role: str
    pivot_id: int | None
    confidence: float | None = None


def lock_clustering(session: Session, site_id: int) -> None:
    """Lock a site's clustering until the transaction ends, waiting for other holders."""
    session.execute(_LOCK, {"site_id": site_id})


def try_lock_clustering(session: Session, site_id: int) -> bool:
    """Try to lock a site's clustering until the transaction ends; return whether it was locked."""
    return bool(session.scalar(_TRY_LOCK, {"site_id": site_id}))


_LOCK = text("SELECT pg_advisory_xact_lock(:lock, hashint8(:site_id))").bindparams(
    lock=AdvisoryLock.GENERATION.value
)
_TRY_LOCK = text("SELECT pg_try_advisory_xact_lock(:lock, hashint8(:site_id))").bindparams(
    lock=AdvisoryLock.GENERATION.value
)


class SiteState(NamedTuple):
    """State of a site when its clustering starts.

    ``generation`` is the latest generation (0 if there is none), based on version ``seen_version``
    of the site. ``compared_version`` and ``compared_trees`` describe the comparison in progress, or
    are None; see `SiteComparison`.
    """

    version: int
    generation: int
    seen_version: int
    compared_version: int | None
    compared_trees: Sequence[int] | None


def site_state(session: Session, site_id: int) -> SiteState:
    """Return the state of a site."""
    return SiteState(*session.execute(_STATE, {"site_id": site_id}).one())


_STATE = text("""
    SELECT version, coalesce(number, 0), coalesce(generations.site_version, 0),
        site_comparisons.site_version, tree_ids
    FROM sites
    LEFT JOIN generations ON generations.site_id = sites.id
    LEFT JOIN site_comparisons ON site_comparisons.site_id = sites.id
    WHERE sites.id = :site_id
    ORDER BY number DESC NULLS LAST LIMIT 1
""")


def is_clustered(session: Session, site_id: int) -> bool:
    """Return whether a site has a generation that is not provisional."""
    return bool(session.scalar(select(has_clustering(literal(site_id)))))


def last_generation(session: Session, site_id: int) -> int:
    """Return the number of a site's latest generation, or 0 if there is none."""
    return session.scalar(_LAST_GENERATION, {"site_id": site_id}) or 0


_LAST_GENERATION = rows_only(
    select(func.max(Generation.number)).where(Generation.site_id == bindparam("site_id"))
)


def generation_version(session: Session, site_id: int, number: int) -> int:
    """Return the version of the site on which a generation was based."""
    version: int = session.scalars(
        _GENERATION_VERSION, {"site_id": site_id, "number": number}
    ).one()
    return version


_GENERATION_VERSION = rows_only(
    select(Generation.site_version).where(
        Generation.site_id == bindparam("site_id"), Generation.number == bindparam("number")
    )
)


def comparable_pages(session: Session, site_id: int) -> list[ComparablePage]:
    """Return the pages of a site that have a tree."""
    return [
        ComparablePage(*row) for row in session.execute(_COMPARABLE_PAGES, {"site_id": site_id})
    ]


_COMPARABLE_PAGES = text("""
    SELECT id, url, tree_id, content_digest,
        CASE WHEN outcome IS NOT NULL THEN extraction_key END,
        forced, html_removed_at IS NULL, comment_pattern
    FROM pages WHERE site_id = :site_id AND tree_id IS NOT NULL
""")


def save_generation(
    session: Session,
    *,
    site_id: int,
    number: int,
    site_version: int,
    method: str,
    silhouette: float | None,
    groups: Sequence[NewGroup],
    memberships: Sequence[NewMembership],
) -> None:
    """Store a generation, based on version ``site_version`` of the site, with its groups.

    ``memberships`` must contain each comparable page once.
    """
    session.execute(
        _ADD_GENERATION,
        {
            "site_id": site_id,
            "number": number,
            "site_version": site_version,
            "method": method,
            "silhouette": silhouette,
        },
    )
    save_groups(session, site_id, number, groups)
    key = {"site_id": site_id, "generation": number}
    if memberships:
        session.execute(_ADD_MEMBERSHIPS, [{**key, **vars(each)} for each in memberships])


_ADD_GENERATION = rows_only(insert(Generation))
_ADD_MEMBERSHIPS = rows_only(insert(Membership))
_ADD_GROUPS = rows_only(insert(TemplateGroup))
_ADD_REPRESENTATIVES = rows_only(insert(GroupRepresentative))


def save_groups(
    session: Session, site_id: int, generation: int, groups: Sequence[NewGroup]
) -> None:
    """Store the groups of a generation."""
    if not groups:
        return
    key = {"site_id": site_id, "generation": generation}
    session.execute(
        _ADD_GROUPS,
        [
            {
                **key,
                "number": group.number,
                "size": group.size,
                "representative_id": group.pivot_id,
                "comment_pattern": group.comment_pattern,
            }
            for group in groups
        ],
    )
    session.execute(
        _ADD_REPRESENTATIVES,
        [
            {**key, "group_number": group.number, "tree_id": tree_id}
            for group in groups
            for tree_id in group.representative_trees
        ],
    )


def pages_by_group(session: Session, site_id: int, number: int) -> dict[int, Sequence[int]]:
    """Return the IDs of the pages in each group of a generation."""
    rows = session.execute(
        select(Membership.group_number, func.array_agg(Membership.page_id))
        .where(
            Membership.site_id == site_id,
            Membership.generation == number,
            Membership.group_number.is_not(None),
        )
        .group_by(Membership.group_number)
    )
    return {group: pages for group, pages in rows if group is not None}


def last_group(session: Session, site_id: int) -> int:
    """Return the highest group number ever used by a site, or 0 if there is none."""
    return (
        session.scalar(
            select(func.max(TemplateGroup.number)).where(TemplateGroup.site_id == site_id)
        )
        or 0
    )


def carry_over(session: Session, page_ids: Sequence[int], number: int) -> None:
    """Record that the given pages' outcomes remain valid in a new generation."""
    session.execute(
        update(StoredPage)
        .where(StoredPage.id.in_(page_ids))
        .values(generation=number, extracted_generation=number)
    )


def comment_patterns(session: Session, page_ids: Sequence[int]) -> Sequence[str | None]:
    """Return the comment patterns of pages; see `StoredPage.comment_pattern`."""
    return session.scalars(
        select(StoredPage.comment_pattern).where(StoredPage.id.in_(page_ids))
    ).all()


def pages_of_generation(session: Session, site_id: int, number: int) -> list[int]:
    """Return the IDs of pages that were extracted with a generation or await such an extraction."""
    return ids_where(session, StoredPage.site_id == site_id, StoredPage.generation == number)


class StoredKnowledge(NamedTuple):
    """The knowledge learned from a page or, if none is stored, the page's content, if stored."""

    packed: bytes | None
    content: bytes | str | None


def load_knowledge(session: Session, page_id: int, content_digest: str) -> StoredKnowledge:
    """Return the knowledge learned from a fetch of a page, or the content to learn from."""
    wanted = {"page_id": page_id, "content_digest": content_digest}
    found = session.execute(_LOAD, wanted).one_or_none()
    if found is None:
        return StoredKnowledge(None, None)
    packed, compressed, is_text = found
    content = unpack_content(compressed, is_text) if compressed is not None else None
    return StoredKnowledge(packed, content)


def save_knowledge(session: Session, page_id: int, content_digest: str, packed: bytes) -> None:
    """Insert or replace the knowledge learned from a page."""
    values = {"page_id": page_id, "content_digest": content_digest, "packed": packed}
    session.execute(_SAVE, values)


_LOAD = text("""
    SELECT packed,
        -- Load the content only if needed: it is as large as the page.
        CASE WHEN packed IS NULL THEN compressed END AS compressed,
        is_text
    FROM pages
    LEFT JOIN page_knowledge ON page_knowledge.page_id = pages.id
        AND page_knowledge.content_digest = :content_digest
    LEFT JOIN page_contents ON page_contents.page_id = pages.id
    WHERE pages.id = :page_id
""").columns(packed=LargeBinary, compressed=LargeBinary)
_SAVE = text("""
    INSERT INTO page_knowledge (page_id, content_digest, packed)
    VALUES (:page_id, :content_digest, :packed)
    ON CONFLICT (page_id) DO UPDATE SET
        (content_digest, packed) = (excluded.content_digest, excluded.packed)
""")
