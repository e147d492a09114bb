"""Details of a single site, group or page, for the inspector."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy.orm import Session

from models.column_types import ArticleJson
from worker.store.database import sql
from worker.store.extraction_jobs import Pivot
from worker.store.trees import site_tree_ids


class SiteGroup(NamedTuple):
    """A group of a site's latest generation, with its representative page."""

    number: int
    size: int
    representative_id: int
    representative_url: str
    comment_pattern: str | None


class InspectedSite(NamedTuple):
    """A site with its page count and its latest clustering (generation 0 if there is none)."""

    id: int
    key: str
    pages: int
    generation: int
    clustered_at: datetime | None
    method: str | None
    silhouette: float | None


def inspected_site(session: Session, site_id: int) -> InspectedSite | None:
    """Return a site, or None if it does not exist."""
    query = sql("""
        SELECT id, key, (SELECT count(*) FROM pages WHERE site_id = sites.id), coalesce(number, 0),
            created_at, method, silhouette
        FROM sites LEFT JOIN generations ON site_id = sites.id
        WHERE id = :site_id
        ORDER BY number DESC NULLS LAST LIMIT 1
    """)
    row = session.execute(query, {"site_id": site_id}).one_or_none()
    return InspectedSite(*row) if row is not None else None


def groups_of_generation(session: Session, site_id: int, generation: int) -> list[SiteGroup]:
    """Return the groups of a generation, largest first."""
    query = sql("""
        SELECT number, size, representative_id, url, template_groups.comment_pattern
        FROM template_groups JOIN pages ON pages.id = representative_id
        WHERE template_groups.site_id = :site_id AND template_groups.generation = :generation
        ORDER BY size DESC, number
    """)
    rows = session.execute(query, {"site_id": site_id, "generation": generation})
    return [SiteGroup(*row) for row in rows]


class PagesInNoGroup(NamedTuple):
    """Counts of a site's ungrouped pages; ``waiting`` pages have not been compared yet."""

    outliers: int
    waiting: int
    without_tree: int


def pages_in_no_group(session: Session, site_id: int, generation: int) -> PagesInNoGroup:
    """Count a site's pages that are in no group of a generation, by reason."""
    query = sql("""
        SELECT count(*) FILTER (WHERE tree_id IS NOT NULL AND page_id IS NOT NULL
                AND group_number IS NULL),
            count(*) FILTER (WHERE tree_id IS NOT NULL AND page_id IS NULL),
            count(*) FILTER (WHERE tree_id IS NULL)
        FROM pages
        LEFT JOIN memberships ON page_id = pages.id AND memberships.generation = :generation
        WHERE pages.site_id = :site_id
    """)
    row = session.execute(query, {"site_id": site_id, "generation": generation}).one()
    return PagesInNoGroup(*row)


class GenerationSizes(NamedTuple):
    """A clustering with its groups, as pairs of group number and size."""

    number: int
    created_at: datetime
    method: str
    silhouette: float | None
    sizes: list[tuple[int, int]]


def last_generations(session: Session, site_id: int, limit: int) -> list[GenerationSizes]:
    """Return the latest ``limit`` generations of a site, oldest first."""
    query = sql("""
        SELECT number, created_at, method, silhouette, ARRAY(
            SELECT ARRAY[template_groups.number, size] FROM template_groups
            WHERE site_id = :site_id AND generation = last.number
            ORDER BY template_groups.number
        )
        FROM (
            SELECT * FROM generations WHERE site_id = :site_id ORDER BY number DESC LIMIT :limit
        ) AS last
        ORDER BY number
    """)
    return [
        GenerationSizes(*(*row, [(number, size) for number, size in sizes]))
        for *row, sizes in session.execute(query, {"site_id": site_id, "limit": limit})
    ]


def trees_to_picture(session: Session, site_id: int, limit: int) -> list[int]:
    """Return the oldest trees that represent a site in diagrams, ascending.

    They are the site's references, if any, since all distances among references are stored.
    """
    query = sql("""
        SELECT tree_ids FROM reference_sets WHERE site_id = :site_id
        ORDER BY cardinality(tree_ids) DESC, id DESC LIMIT 1
    """)
    references = session.scalar(query, {"site_id": site_id})
    return sorted(references)[:limit] if references else site_tree_ids(session, site_id, limit)


class PageOfTree(NamedTuple):
    """A page with its tree and its place in a generation; the role is None if it has no place."""

    tree_id: int
    page_id: int
    url: str
    group_number: int | None
    role: str | None


def pages_of_trees(
    session: Session, site_id: int, generation: int, tree_ids: Sequence[int]
) -> list[PageOfTree]:
    """Return the pages of a site with the given trees, ordered by ID."""
    wanted = {"site_id": site_id, "generation": generation, "tree_ids": list(tree_ids)}
    query = sql("""
        SELECT tree_id, id, url, group_number, role
        FROM pages
        LEFT JOIN memberships ON page_id = id AND memberships.generation = :generation
        WHERE pages.site_id = :site_id AND tree_id = ANY(CAST(:tree_ids AS bigint[]))
        ORDER BY id
    """)
    return [PageOfTree(*row) for row in session.execute(query, wanted)]


class GroupPage(NamedTuple):
    """A page of a group, with its outcome."""

    id: int
    url: str
    fetched_at: datetime | None
    outcome: str | None
    confidence: float | None
    revision: int
    role: str


def pages_of_group(
    session: Session, site_id: int, generation: int, number: int | None, *, limit: int, after: int
) -> list[GroupPage]:
    """Return the pages of a group (the outliers if ``number`` is None) with IDs above ``after``."""
    group = {"site_id": site_id, "generation": generation, "number": number}
    query = sql("""
        SELECT id, url, coalesce(fetched_at, received_at), outcome, pages.confidence, revision, role
        FROM pages JOIN memberships ON page_id = id
        WHERE memberships.site_id = :site_id AND memberships.generation = :generation
            AND group_number IS NOT DISTINCT FROM :number AND id > :after
        ORDER BY id LIMIT :limit
    """)
    rows = session.execute(query, {**group, "limit": limit, "after": after})
    return [GroupPage(*row) for row in rows]


def knowledge_of(session: Session, page_id: int) -> tuple[bytes, datetime] | None:
    """Return the packed knowledge learned from a page, and when it was learned."""
    query = sql("SELECT packed, learned_at FROM page_knowledge WHERE page_id = :page_id")
    row = session.execute(query, {"page_id": page_id}).one_or_none()
    return (bytes(row.packed), row.learned_at) if row is not None else None


class PagePlace(NamedTuple):
    """A page's site and group, and the page with which it is compared."""

    site_key: str
    stored_at: datetime | None
    group_number: int | None
    role: str | None
    joined_with: float | None
    clustered_at: datetime | None
    method: str | None
    group_size: int | None
    group_pattern: str | None
    pivot: Pivot | None


def place_of_page(session: Session, page_id: int) -> PagePlace | None:
    """Return a page's place in the generation of its latest or pending extraction."""
    query = sql("""
        SELECT key, stored_at, group_number, role, memberships.confidence,
            generations.created_at, generations.method, size, template_groups.comment_pattern,
            pivot.id, pivot.url, pivot.content_type, pivot.content_digest
        FROM pages
        JOIN sites ON sites.id = pages.site_id
        LEFT JOIN page_contents ON page_contents.page_id = pages.id
        LEFT JOIN memberships
            ON (memberships.page_id, memberships.generation) = (pages.id, pages.generation)
        LEFT JOIN generations
            ON (generations.site_id, generations.number) = (pages.site_id, pages.generation)
        LEFT JOIN template_groups
            ON (template_groups.site_id, template_groups.generation, template_groups.number)
            = (memberships.site_id, memberships.generation, group_number)
        LEFT JOIN pages AS pivot ON pivot.id = memberships.pivot_id
        WHERE pages.id = :page_id
    """)
    row = session.execute(query, {"page_id": page_id}).one_or_none()
    if row is None:
        return None
    *place, pivot_id, url, content_type, digest = row
    pivot = Pivot(pivot_id, url, content_type, digest) if pivot_id is not None else None
    return PagePlace(*(*place, pivot))


class Revision(NamedTuple):
    """A revision of a page's article; the message is loaded only if requested."""

    number: int
    created_at: datetime
    message: dict[str, Any] | None


def revisions_of(
    session: Session, page_id: int, *, limit: int, with_messages: Sequence[int]
) -> list[Revision]:
    """Return the latest revisions, newest first, with messages for those in ``with_messages``."""
    query = sql("""
        SELECT revision, created_at,
            CASE WHEN revision = ANY (CAST(:with_messages AS integer[])) THEN message END AS message
        FROM articles WHERE page_id = :page_id
        ORDER BY revision DESC LIMIT :limit
    """).columns(message=ArticleJson)
    asked = {"page_id": page_id, "limit": limit, "with_messages": list(with_messages)}
    return [Revision(*row) for row in session.execute(query, asked)]


def last_article(session: Session, page_id: int) -> tuple[dict[str, Any] | None] | None:
    """Return the row of a page's latest article message, or None if the page does not exist."""
    query = sql("""
        SELECT message FROM pages
        LEFT JOIN articles ON (page_id, articles.revision) = (pages.id, pages.revision)
        WHERE pages.id = :page_id
    """).columns(message=ArticleJson)
    row = session.execute(query, {"page_id": page_id}).one_or_none()
    return None if row is None else (row[0],)


def receipts_of(session: Session, page_id: int, limit: int) -> list[tuple[datetime, str]]:
    """Return the times and results of a page's messages, newest first."""
    query = sql("""
        SELECT received_at, result FROM receipts WHERE page_id = :page_id
        ORDER BY id DESC LIMIT :limit
    """)
    return [tuple(row) for row in session.execute(query, {"page_id": page_id, "limit": limit})]


class GroupOutcome(NamedTuple):
    """Number of a group's pages with an outcome (None: pending), and their mean confidence."""

    outcome: str | None
    pages: int
    confidence: float | None


def outcomes_of_group(
    session: Session, site_id: int, generation: int, number: int | None
) -> list[GroupOutcome]:
    """Return the outcomes of a group's pages, or of the outliers if ``number`` is None."""
    group = {"site_id": site_id, "generation": generation, "number": number}
    query = sql("""
        SELECT outcome, count(*), avg(pages.confidence)
        FROM pages JOIN memberships ON page_id = id
        WHERE memberships.site_id = :site_id AND memberships.generation = :generation
            AND group_number IS NOT DISTINCT FROM :number
        GROUP BY outcome
        ORDER BY count(*) DESC, outcome
    """)
    return [GroupOutcome(*row) for row in session.execute(query, group)]


class Container(NamedTuple):
    """A place in the page where articles were found, with the method and the number of pages."""

    method: str | None
    xpath: str | None
    pages: int


def containers_of(session: Session, page_ids: Sequence[int]) -> list[Container]:
    """Return where the latest articles of pages were found, most frequent place first."""
    query = sql("""
        SELECT message ->> 'method', message ->> 'xpath' AS xpath, count(*)
        FROM articles JOIN pages ON (pages.id, pages.revision) = (page_id, articles.revision)
        WHERE pages.id = ANY(CAST(:page_ids AS bigint[]))
        GROUP BY 1, 2
        ORDER BY count(*) DESC, xpath
    """)
    rows = session.execute(query, {"page_ids": list(page_ids)})
    return [Container(*row) for row in rows]


def sending_of(session: Session, message_id: str) -> Literal["waiting", "refused"] | None:
    """Return whether a message is waiting or was refused; None if it is not in the outbox."""
    query = sql("SELECT refused_at FROM outbox WHERE message_id = :message_id LIMIT 1")
    row = session.execute(query, {"message_id": message_id}).one_or_none()
    if row is None:
        return None
    return "waiting" if row[0] is None else "refused"
