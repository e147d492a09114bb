"""Generations of template groups, the pages in them, and the knowledge learned from pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Function, LargeBinary, func, select
from sqlalchemy.orm import Session

from models.tables import DesignChange, StoredPage
from worker.store.database import sql
from worker.store.locks import AdvisoryLock
from worker.store.pages import ids_where
from worker.store.provisional import PROVISIONAL


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
    session.execute(select(func.pg_advisory_xact_lock(*_lock_key(site_id))))


def try_lock_clustering(session: Session, site_id: int) -> bool:
    """Try to lock a site's clustering until the transaction ends; return whether it was locked."""
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(*_lock_key(site_id)))))


def _lock_key(site_id: int) -> tuple[int, Function[int]]:
    return AdvisoryLock.GENERATION.value, func.hashint8(site_id)


class SiteState(NamedTuple):
    """State of a site when its clustering starts.

    ``generation`` is the latest generation (0 if there is none), based on version ``seen_version``
    of the site. ``is_new`` is set if the site has never been clustered. ``compared_version`` and
    ``compared_trees`` describe the comparison in progress, or are None (see `SiteComparison`);
    ``is_comparing`` is set if the comparison has unfinished blocks.
    """

    version: int
    generation: int
    seen_version: int
    is_new: bool
    compared_version: int | None
    compared_trees: Sequence[int] | None
    is_comparing: bool


def site_state(session: Session, site_id: int) -> SiteState:
    """Return the state of a site."""
    query = sql("""
        SELECT version, coalesce(number, 0), coalesce(generations.site_version, 0),
            NOT EXISTS (
                SELECT FROM generations WHERE site_id = sites.id AND method <> :provisional
            ),
            site_comparisons.site_version, tree_ids,
            EXISTS (SELECT FROM comparison_blocks WHERE site_id = sites.id)
        FROM sites
        LEFT JOIN generations ON generations.site_id = sites.id
        LEFT JOIN site_comparisons ON site_comparisons.site_id = sites.id
        WHERE sites.id = :site_id
        ORDER BY number DESC NULLS LAST LIMIT 1
    """)
    asked = {"site_id": site_id, "provisional": PROVISIONAL}
    return SiteState(*session.execute(query, asked).one())


def last_generation(session: Session, site_id: int) -> int:
    """Return the number of a site's latest generation, or 0 if there is none."""
    query = sql("SELECT max(number) FROM generations WHERE site_id = :site_id")
    return session.scalar(query, {"site_id": site_id}) or 0


def newest_generation(session: Session, site_id: int) -> tuple[int, int] | None:
    """Return a site's latest generation, and the version of the site on which it was based."""
    query = sql("""
        SELECT number, site_version FROM generations WHERE site_id = :site_id
        ORDER BY number DESC LIMIT 1
    """)
    row = session.execute(query, {"site_id": site_id}).one_or_none()
    return None if row is None else (row.number, row.site_version)


def comparable_pages(session: Session, site_id: int) -> list[ComparablePage]:
    """Return the pages of a site that have a tree."""
    query = sql("""
        SELECT id, url, tree_id, content_digest,
            CASE WHEN outcome IS NOT NULL THEN extraction_key END,
            forced, html_removed_at IS NULL, comment_pattern
        FROM pages WHERE site_id = :site_id AND tree_id IS NOT NULL
    """)
    return [ComparablePage(*row) for row in session.execute(query, {"site_id": site_id})]


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
    new = {
        "site_id": site_id,
        "number": number,
        "site_version": site_version,
        "method": method,
        "silhouette": silhouette,
    }
    session.execute(_ADD_GENERATION, {**new, **_of_groups(groups), **_of_members(memberships)})


_ADD_GROUPS = """
    added_groups AS (
        INSERT INTO template_groups
            (site_id, generation, number, size, representative_id, comment_pattern)
        SELECT :site_id, :number, * FROM unnest(
            CAST(:groups AS integer[]), CAST(:sizes AS integer[]), CAST(:pivots AS bigint[]),
            CAST(:patterns AS text[])
        )
    ), added_representatives AS (
        INSERT INTO group_representatives (site_id, generation, group_number, tree_id)
        SELECT :site_id, :number, * FROM unnest(
            CAST(:represented AS integer[]), CAST(:tree_ids AS bigint[])
        )
    )
"""
_ADD_GENERATION = sql(f"""
    WITH added_generation AS (
        INSERT INTO generations (site_id, number, site_version, method, silhouette)
        VALUES (:site_id, :number, :site_version, :method, :silhouette)
    ), {_ADD_GROUPS}
    INSERT INTO memberships (site_id, generation, page_id, group_number, role, pivot_id, confidence)
    SELECT :site_id, :number, * FROM unnest(
        CAST(:page_ids AS bigint[]), CAST(:group_numbers AS integer[]), CAST(:roles AS text[]),
        CAST(:pivot_ids AS bigint[]), CAST(:confidences AS double precision[])
    )
""")  # noqa: S608


def _of_groups(groups: Sequence[NewGroup]) -> dict[str, list[Any]]:
    representatives = [(each.number, tree) for each in groups for tree in each.representative_trees]
    return {
        "groups": [each.number for each in groups],
        "sizes": [each.size for each in groups],
        "pivots": [each.pivot_id for each in groups],
        "patterns": [each.comment_pattern for each in groups],
        "represented": [number for number, _ in representatives],
        "tree_ids": [tree_id for _, tree_id in representatives],
    }


def _of_members(memberships: Sequence[NewMembership]) -> dict[str, list[Any]]:
    return {
        "page_ids": [each.page_id for each in memberships],
        "group_numbers": [each.group_number for each in memberships],
        "roles": [each.role for each in memberships],
        "pivot_ids": [each.pivot_id for each in memberships],
        "confidences": [each.confidence for each in memberships],
    }


def save_groups(
    session: Session, site_id: int, generation: int, groups: Sequence[NewGroup]
) -> None:
    """Store the groups of a generation."""
    new = {"site_id": site_id, "number": generation, **_of_groups(groups)}
    session.execute(sql(f"WITH {_ADD_GROUPS} SELECT"), new)


def pages_by_group(session: Session, site_id: int, number: int) -> dict[int, Sequence[int]]:
    """Return the IDs of the pages in each group of a generation."""
    query = sql("""
        SELECT group_number, array_agg(page_id) FROM memberships
        WHERE (site_id, generation) = (:site_id, :number) AND group_number IS NOT NULL
        GROUP BY group_number
    """)
    return dict(session.execute(query, {"site_id": site_id, "number": number}).all())


def last_group(session: Session, site_id: int) -> int:
    """Return the highest group number ever used by a site, or 0 if there is none."""
    query = sql("SELECT max(number) FROM template_groups WHERE site_id = :site_id")
    return session.scalar(query, {"site_id": site_id}) or 0


def carry_over(session: Session, page_ids: Sequence[int], number: int) -> None:
    """Record that the given pages' outcomes remain valid in a new generation."""
    query = sql("""
        UPDATE pages SET generation = :number, extracted_generation = :number WHERE id = ANY (:ids)
    """)
    session.execute(query, {"number": number, "ids": list(page_ids)})


def comment_patterns(session: Session, page_ids: Sequence[int]) -> Sequence[str | None]:
    """Return the comment patterns of pages; see `StoredPage.comment_pattern`."""
    query = sql("SELECT comment_pattern FROM pages WHERE id = ANY (:ids)")
    return session.scalars(query, {"ids": list(page_ids)}).all()


def pages_of_generation(session: Session, site_id: int, number: int) -> list[int]:
    """Return the IDs of pages that were extracted with a generation or await such an extraction."""
    return ids_where(session, StoredPage.site_id == site_id, StoredPage.generation == number)


def load_knowledge(session: Session, wanted: Mapping[int, str]) -> dict[int, bytes]:
    """Return the knowledge learned from fetches of pages, by page ID, if any is stored.

    ``wanted`` maps page IDs to the digests of the fetches.
    """
    if not wanted:
        return {}
    asked = {"page_ids": list(wanted), "digests": list(wanted.values())}
    return dict(session.execute(_LOAD, asked).all())


def save_knowledge(session: Session, learned: Sequence[tuple[int, str, bytes]]) -> None:
    """Insert or replace the knowledge learned from fetches of pages.

    Each item has the ID of the page, which must be ascending, the digest and the knowledge.
    """
    page_ids, digests, packed = map(list, zip(*learned, strict=True))
    query = sql("""
        INSERT INTO page_knowledge (page_id, content_digest, packed)
        SELECT * FROM unnest(
            CAST(:page_ids AS bigint[]), CAST(:digests AS text[]), CAST(:packed AS bytea[])
        )
        ON CONFLICT (page_id) DO UPDATE SET
            (content_digest, packed) = (excluded.content_digest, excluded.packed)
    """)
    session.execute(query, {"page_ids": page_ids, "digests": digests, "packed": packed})


_LOAD = sql("""
    SELECT page_id, packed FROM page_knowledge
    JOIN unnest(CAST(:page_ids AS bigint[]), CAST(:digests AS text[]))
        AS asked (page_id, content_digest) USING (page_id, content_digest)
""").columns(page_id=BigInteger, packed=LargeBinary)


@dataclass(frozen=True)
class Representative:
    """A representative tree of a group, and the pivot with which the group's pages are compared."""

    group_number: int
    tree_id: int
    pivot_id: int


@dataclass(frozen=True)
class Outlier:
    """A page that fits no group of a generation."""

    page_id: int
    url: str
    tree_id: int


def representatives(session: Session, site_id: int, generation: int) -> list[Representative]:
    """Return the representative trees of a generation, by group."""
    query = sql("""
        SELECT group_number, tree_id, representative_id
        FROM group_representatives AS own JOIN template_groups
            ON (template_groups.site_id, template_groups.generation, number)
            = (own.site_id, own.generation, group_number)
        WHERE (own.site_id, own.generation) = (:site_id, :generation)
        ORDER BY group_number, tree_id
    """)
    rows = session.execute(query, {"site_id": site_id, "generation": generation})
    return [Representative(*row) for row in rows]


def newest_outliers(
    session: Session, site_id: int, generation: int, limit: int
) -> Sequence[Outlier]:
    """Return the newest outliers of a generation, ordered by URL.

    Pages without HTML are excluded because they cannot be extracted with a group.
    """
    query = sql("""
        SELECT id, url, tree_id
        FROM pages JOIN memberships ON page_id = id
        WHERE (memberships.site_id, memberships.generation) = (:site_id, :generation)
            AND group_number IS NULL AND tree_id IS NOT NULL AND html_removed_at IS NULL
        ORDER BY received_at DESC, id DESC LIMIT :limit
    """)
    asked = {"site_id": site_id, "generation": generation, "limit": limit}
    outliers = (Outlier(*row) for row in session.execute(query, asked))
    return sorted(outliers, key=lambda outlier: outlier.url)


def place_page(session: Session, site_id: int, generation: int, membership: NewMembership) -> None:
    """Insert or replace the membership of a page in a generation."""
    place = {"site_id": site_id, "generation": generation, **vars(membership)}
    query = sql("""
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
    session.execute(query, place)


def place_as_outliers(
    session: Session, site_id: int, generation: int, page_ids: Sequence[int]
) -> None:
    """Add pages to a generation as outliers, except those that already have a membership in it."""
    query = sql("""
        INSERT INTO memberships (page_id, generation, site_id, role)
        SELECT unnest(CAST(:page_ids AS bigint[])), :generation, :site_id, 'outlier'
        ON CONFLICT (page_id, generation) DO NOTHING
    """)
    session.execute(
        query,
        {"site_id": site_id, "generation": generation, "page_ids": list(page_ids)},
    )


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


def newest_pages(
    session: Session, site_id: int, generation: int, limit: int
) -> Sequence[DatedPage]:
    """Return the most recently fetched pages of a generation, oldest first; see `DatedPage`."""
    asked = {"site_id": site_id, "generation": generation, "number": limit}
    query = sql("""
        SELECT url, coalesce(fetched_at, received_at) AS fetched, group_number, received_at,
            fetched_at IS NOT NULL
        FROM memberships JOIN pages ON pages.id = page_id
        WHERE memberships.site_id = :site_id AND memberships.generation = :generation
        ORDER BY fetched DESC, url DESC LIMIT :number
    """)
    rows = session.execute(query, asked).all()
    return [DatedPage(*row) for row in reversed(rows)]


def note_design_change(session: Session, change: DesignChange) -> bool:
    """Store a redesign, and return whether it is new.

    A redesign that began no later than ``seen_until`` of the latest stored one only updates it.
    """
    last = next(reversed(design_changes(session, change.site_id)), None)
    if last is None or change.since > last.seen_until:
        session.add(change)
        return True
    last.seen_until = max(last.seen_until, change.seen_until)
    for name in ("new_share", "outlier_share", "new_groups", "gone_groups"):
        setattr(last, name, getattr(change, name))
    return False


def design_changes(session: Session, site_id: int) -> Sequence[DesignChange]:
    """Return all redesigns of a site, oldest first."""
    return session.scalars(
        select(DesignChange)
        .where(DesignChange.site_id == site_id)
        .order_by(DesignChange.generation)
    ).all()


def last_design_changes(session: Session, site_ids: Sequence[int] | None) -> dict[int, datetime]:
    """Return the start of the latest redesign of the given sites (all if None), by site ID."""
    query = sql("""
        SELECT DISTINCT ON (site_id) site_id, since FROM design_changes
        WHERE CAST(:ids AS bigint[]) IS NULL OR site_id = ANY (CAST(:ids AS bigint[]))
        ORDER BY site_id, generation DESC
    """)
    return dict(session.execute(query, {"ids": site_ids}).all())


def group_histories(session: Session, site_id: int) -> list[GroupHistory]:
    """Return the history of all past and present groups of a site, by number."""
    query = sql("""
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
    rows = session.execute(query, {"site_id": site_id})
    return [GroupHistory(*row) for row in rows]
