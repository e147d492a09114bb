"""Details of a single site, group or page, for the inspector."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import select
from sqlalchemy.orm import Session

from detourage.html import Tree
from detourage.text.plural import pluralise
from inspector.reads import SQL
from models.column_types import ArticleJson
from models.tables import DesignChange


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
    row = session.execute(SQL.inspected_site, {"site_id": site_id}).one_or_none()
    return InspectedSite(*row) if row is not None else None


def groups_of_generation(session: Session, site_id: int, generation: int) -> list[SiteGroup]:
    """Return the groups of a generation, largest first."""
    rows = session.execute(SQL.groups_of_generation, {"site_id": site_id, "generation": generation})
    return [SiteGroup(*row) for row in rows]


class PagesInNoGroup(NamedTuple):
    """Numbers of a site's pages in no group; ``waiting`` pages have not been compared yet."""

    outliers: int
    waiting: int
    without_tree: int


def pages_in_no_group(session: Session, site_id: int, generation: int) -> PagesInNoGroup:
    """Count a site's pages that are in no group of a generation, by reason."""
    row = session.execute(
        SQL.pages_in_no_group, {"site_id": site_id, "generation": generation}
    ).one()
    return PagesInNoGroup(*row)


class GenerationSizes(NamedTuple):
    """A generation (clustering) of a site, whose ``sizes`` are pairs of group number and size."""

    number: int
    created_at: datetime
    method: str
    silhouette: float | None
    sizes: list[tuple[int, int]]


def last_generations(session: Session, site_id: int, limit: int) -> list[GenerationSizes]:
    """Return the latest ``limit`` generations of a site, oldest first."""
    rows = session.execute(SQL.last_generations, {"site_id": site_id, "limit": limit})
    return [
        GenerationSizes._make((*columns, [(number, size) for number, size in sizes]))
        for *columns, sizes in rows
    ]


def trees_to_picture(session: Session, site_id: int, limit: int) -> list[int]:
    """Return the IDs of at most ``limit`` trees that represent a site on its map, oldest first.

    They are the site's references, if any, since all distances among references are stored.
    """
    references = session.scalar(SQL.references, {"site_id": site_id})
    if references:
        return sorted(references)[:limit]
    return list(session.scalars(SQL.site_trees, {"site_id": site_id, "limit": limit}))


def distances_of_trees(
    session: Session, tree_ids: Sequence[int]
) -> tuple[npt.NDArray[np.float64], dict[int, int]]:
    """Return the tree edit distances between trees (NaN if unknown), and the trees' sizes by ID.

    The tree IDs are in ascending order.
    """
    distances = np.full((len(tree_ids), len(tree_ids)), np.nan)
    np.fill_diagonal(distances, 0)
    params = {"tree_ids": list(tree_ids)}
    rows = session.execute(SQL.distances, params)
    # Rows of two tree IDs and a distance; a distance that is NULL becomes NaN.
    stored = np.array([tuple(row) for row in rows], np.float64).reshape(-1, 3)
    i, j = np.searchsorted(tree_ids, stored[:, :2].astype(np.int64)).T
    distances[i, j] = distances[j, i] = stored[:, 2]
    return distances, dict(session.execute(SQL.tree_sizes, params).all())


def trees_by_id(session: Session, tree_ids: Sequence[int]) -> dict[int, Tree]:
    """Return trees by ID; damaged ones are omitted."""
    trees = {}
    for tree_id, packed in session.execute(SQL.trees_by_id, {"tree_ids": list(tree_ids)}):
        with suppress(ValueError):
            trees[tree_id] = Tree.from_bytes(bytes(packed))
    return trees


def design_changes(session: Session, site_id: int) -> Sequence[DesignChange]:
    """Return all design changes of a site, oldest first."""
    query = select(DesignChange).where(DesignChange.site_id == site_id)
    return session.scalars(query.order_by(DesignChange.generation)).all()


class SiteQuarantine(NamedTuple):
    """Start and reason of a site's quarantine, during which the site is not clustered."""

    since: datetime
    reason: str


def site_quarantines(session: Session, site_ids: Sequence[int]) -> dict[int, SiteQuarantine]:
    """Return the quarantine of each given site that is in quarantine, by site ID."""
    quarantines = {}
    for site_id, since, number, error in session.execute(
        SQL.site_quarantines, {"ids": list(site_ids)}
    ):
        cause = f"the last error was {error}" if error else "its process ended, or it took too long"
        reason = f"clustering was started {pluralise(number, 'time')} but never finished: {cause}"
        quarantines[site_id] = SiteQuarantine(since, reason)
    return quarantines


class PageOfTree(NamedTuple):
    """A page with its tree and, if it has been assigned, its group and role in a generation."""

    tree_id: int
    page_id: int
    url: str
    group_number: int | None
    role: str | None


def pages_of_trees(
    session: Session, site_id: int, generation: int, tree_ids: Sequence[int]
) -> list[PageOfTree]:
    """Return the pages of a site with the given trees, ordered by ID."""
    params = {"site_id": site_id, "generation": generation, "tree_ids": list(tree_ids)}
    return [PageOfTree(*row) for row in session.execute(SQL.pages_of_trees, params)]


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
    rows = session.execute(SQL.pages_of_group, {**group, "limit": limit, "after": after})
    return [GroupPage(*row) for row in rows]


def knowledge_of(session: Session, page_id: int) -> tuple[bytes, datetime] | None:
    """Return the packed template knowledge learned from a page, and the time of learning."""
    row = session.execute(SQL.knowledge_of, {"page_id": page_id}).one_or_none()
    return (bytes(row.packed), row.learned_at) if row is not None else None


@dataclass(frozen=True)
class TemplatePage:
    """The page of the same group with which a page is compared."""

    id: int
    url: str
    content_type: str | None
    content_digest: str


class PageContext(NamedTuple):
    """A page's site and group, and the page with which it is compared.

    ``joined_with`` is the confidence of its assignment to the group, and ``method`` the clustering
    method. ``group_pattern`` is the comment pattern of the group, ``shared_lines`` are the lines
    that the group's pages share, and ``lines`` those of this page; all three are in stored form.
    """

    site_key: str
    stored_at: datetime | None
    group_number: int | None
    role: str | None
    joined_with: float | None
    clustered_at: datetime | None
    method: str | None
    group_size: int | None
    group_pattern: str | None
    shared_lines: bytes | None
    lines: bytes | None
    template_page: TemplatePage | None


def page_context(session: Session, page_id: int) -> PageContext | None:
    """Return a page's group in the generation of its latest or pending extraction."""
    row = session.execute(SQL.page_context, {"page_id": page_id}).one_or_none()
    if row is None:
        return None
    values: list[Any] = [bytes(each) if isinstance(each, memoryview) else each for each in row]
    # The last four columns are those of `TemplatePage`, which are NULL if there is none.
    context, template_page = values[:-4], values[-4:]
    is_compared = template_page[0] is not None
    return PageContext._make((*context, TemplatePage(*template_page) if is_compared else None))


class Revision(NamedTuple):
    """A revision of a page's article; the message is loaded only if requested."""

    number: int
    created_at: datetime
    message: dict[str, Any] | None


def revisions_of(
    session: Session, page_id: int, *, limit: int, with_messages: Sequence[int]
) -> list[Revision]:
    """Return the latest revisions, newest first, with messages for those in ``with_messages``."""
    params = {"page_id": page_id, "limit": limit, "with_messages": list(with_messages)}
    return [
        Revision(*row)
        for row in session.execute(SQL.revisions_of.columns(message=ArticleJson), params)
    ]


def last_article(session: Session, page_id: int) -> tuple[dict[str, Any] | None] | None:
    """Return a page's latest article message in a tuple, or None if the page does not exist.

    The tuple contains None if the page has no article.
    """
    row = session.execute(
        SQL.last_article.columns(message=ArticleJson), {"page_id": page_id}
    ).one_or_none()
    return None if row is None else (row[0],)


def receipts_of(session: Session, page_id: int, limit: int) -> list[tuple[datetime, str]]:
    """Return the times and results of a page's messages, newest first."""
    return [
        tuple(row) for row in session.execute(SQL.receipts_of, {"page_id": page_id, "limit": limit})
    ]


class GroupOutcome(NamedTuple):
    """An outcome (None if pending), its number of pages in a group, and their mean confidence."""

    outcome: str | None
    pages: int
    confidence: float | None


def outcomes_of_group(
    session: Session, site_id: int, generation: int, number: int | None
) -> list[GroupOutcome]:
    """Return the outcomes of a group's pages, or of the outliers if ``number`` is None."""
    group = {"site_id": site_id, "generation": generation, "number": number}
    return [GroupOutcome(*row) for row in session.execute(SQL.outcomes_of_group, group)]


class Container(NamedTuple):
    """An element that contained articles, with the extraction method and number of pages."""

    method: str | None
    xpath: str | None
    pages: int


def containers_of(session: Session, page_ids: Sequence[int]) -> list[Container]:
    """Return the elements that contained the latest articles of pages, most frequent first."""
    rows = session.execute(SQL.containers_of, {"page_ids": list(page_ids)})
    return [Container(*row) for row in rows]


def sending_of(session: Session, message_id: str) -> Literal["waiting", "refused"] | None:
    """Return whether a message waits in the outbox or was refused; None if it left the outbox."""
    row = session.execute(SQL.sending_of, {"message_id": message_id}).one_or_none()
    if row is None:
        return None
    return "waiting" if row[0] is None else "refused"
