"""Details of a single site, group or page, for the inspector."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    and_,
    any_,
    bindparam,
    case,
    func,
    select,
)
from sqlalchemy.orm import Session, aliased

from models.tables import (
    Article,
    Generation,
    Membership,
    OutboxEntry,
    PageContent,
    PageKnowledge,
    Receipt,
    ReferenceSet,
    Site,
    StoredPage,
    TemplateGroup,
)
from worker.store.extraction_jobs import Pivot
from worker.store.groups import is_of_membership
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
    pages = (
        select(func.count())
        .select_from(StoredPage)
        .where(StoredPage.site_id == Site.id)
        .scalar_subquery()
    )
    row = session.execute(
        select(
            Site.id,
            Site.key,
            pages,
            func.coalesce(Generation.number, 0),
            Generation.created_at,
            Generation.method,
            Generation.silhouette,
        )
        .outerjoin(Generation, Generation.site_id == Site.id)
        .where(Site.id == site_id)
        .order_by(Generation.number.desc().nulls_last())
        .limit(1)
    ).one_or_none()
    return InspectedSite(*row) if row is not None else None


def groups_of_generation(session: Session, site_id: int, generation: int) -> list[SiteGroup]:
    """Return the groups of a generation, largest first."""
    rows = session.execute(
        select(
            TemplateGroup.number,
            TemplateGroup.size,
            TemplateGroup.representative_id,
            StoredPage.url,
            TemplateGroup.comment_pattern,
        )
        .join(StoredPage, StoredPage.id == TemplateGroup.representative_id)
        .where(TemplateGroup.site_id == site_id, TemplateGroup.generation == generation)
        .order_by(TemplateGroup.size.desc(), TemplateGroup.number)
    )
    return [SiteGroup(*row) for row in rows]


class PagesInNoGroup(NamedTuple):
    """Numbers of a site's pages that are in no group.

    ``outliers`` were compared but match no group, ``waiting`` pages are not yet in the generation,
    and pages ``without_tree`` cannot be compared.
    """

    outliers: int
    waiting: int
    without_tree: int


def pages_in_no_group(session: Session, site_id: int, generation: int) -> PagesInNoGroup:
    """Count a site's pages that are in no group of a generation, by reason."""
    has_tree, has_place = StoredPage.tree_id.is_not(None), Membership.page_id.is_not(None)
    row = session.execute(
        select(
            func.count().filter(has_tree, has_place, Membership.group_number.is_(None)),
            func.count().filter(has_tree, ~has_place),
            func.count().filter(~has_tree),
        )
        .select_from(StoredPage)
        .outerjoin(
            Membership,
            and_(Membership.page_id == StoredPage.id, Membership.generation == generation),
        )
        .where(StoredPage.site_id == site_id)
    ).one()
    return PagesInNoGroup(*row)


class GenerationSizes(NamedTuple):
    """A clustering with its groups, as pairs of group number and size."""

    number: int
    created_at: datetime
    method: str
    silhouette: float | None
    sizes: list[tuple[int, int]]


def last_generations(session: Session, site_id: int, most: int) -> list[GenerationSizes]:
    """Return the latest ``most`` generations of a site, oldest first."""
    last = (
        select(Generation)
        .where(Generation.site_id == site_id)
        .order_by(Generation.number.desc())
        .limit(most)
        .subquery()
    )
    rows = session.execute(
        select(
            last.c.number,
            last.c.created_at,
            last.c.method,
            last.c.silhouette,
            func.array_agg(TemplateGroup.number),
            func.array_agg(TemplateGroup.size),
        )
        .outerjoin(
            TemplateGroup,
            and_(
                TemplateGroup.site_id == last.c.site_id, TemplateGroup.generation == last.c.number
            ),
        )
        .group_by(last.c.number, last.c.created_at, last.c.method, last.c.silhouette)
        .order_by(last.c.number)
    )
    return [
        GenerationSizes(
            number,
            created_at,
            method,
            silhouette,
            sorted((group, size) for group, size in zip(groups, sizes, strict=True) if group),
        )
        for number, created_at, method, silhouette, groups, sizes in rows
    ]


def trees_to_picture(session: Session, site_id: int, most: int) -> list[int]:
    """Return the trees that represent a site in pictures, ascending.

    If the site has references, these are returned, since all distances among them are stored;
    otherwise, all its trees are. At most ``most`` are returned, the oldest ones.
    """
    references = session.scalar(
        select(ReferenceSet.tree_ids)
        .where(ReferenceSet.site_id == site_id)
        .order_by(func.cardinality(ReferenceSet.tree_ids).desc(), ReferenceSet.id.desc())
        .limit(1)
    )
    if references:
        return sorted(references)[:most]
    return site_tree_ids(session, site_id, most)


class PageOfTree(NamedTuple):
    """A page with its tree and its membership in a generation; the role is None without one."""

    tree_id: int
    page_id: int
    url: str
    group_number: int | None
    role: str | None


def pages_of_trees(
    session: Session, site_id: int, generation: int, tree_ids: Sequence[int]
) -> list[PageOfTree]:
    """Return the pages of a site with the given trees, ordered by ID."""
    rows = session.execute(
        select(
            StoredPage.tree_id,
            StoredPage.id,
            StoredPage.url,
            Membership.group_number,
            Membership.role,
        )
        .outerjoin(
            Membership,
            and_(Membership.page_id == StoredPage.id, Membership.generation == generation),
        )
        .where(
            StoredPage.site_id == site_id,
            StoredPage.tree_id
            == any_(bindparam("tree_ids", list(tree_ids), type_=ARRAY(BigInteger))),
        )
        .order_by(StoredPage.id)
    )
    return [
        PageOfTree(tree_id, page_id, url, group, role)
        for tree_id, page_id, url, group, role in rows
        if tree_id is not None
    ]


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
    session: Session, site_id: int, generation: int, number: int | None, *, most: int, after: int
) -> list[GroupPage]:
    """Return the pages of a group (the outliers if ``number`` is None) with IDs above ``after``."""
    rows = session.execute(
        select(
            StoredPage.id,
            StoredPage.url,
            func.coalesce(StoredPage.fetched_at, StoredPage.received_at),
            StoredPage.outcome,
            StoredPage.confidence,
            StoredPage.revision,
            Membership.role,
        )
        .join(Membership, Membership.page_id == StoredPage.id)
        .where(
            Membership.site_id == site_id,
            Membership.generation == generation,
            _is_member(number),
            StoredPage.id > after,
        )
        .order_by(StoredPage.id)
        .limit(most)
    )
    return [GroupPage(*row) for row in rows]


def knowledge_of(session: Session, page_id: int) -> tuple[bytes, datetime] | None:
    """Return the packed knowledge learned from a page, and when it was learned."""
    row = session.execute(
        select(PageKnowledge.packed, PageKnowledge.learned_at).where(
            PageKnowledge.page_id == page_id
        )
    ).one_or_none()
    return (row[0], row[1]) if row is not None else None


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
    pivot = aliased(StoredPage)
    row = session.execute(
        select(
            Site.key,
            PageContent.stored_at,
            Membership.group_number,
            Membership.role,
            Membership.confidence,
            Generation.created_at,
            Generation.method,
            TemplateGroup.size,
            TemplateGroup.comment_pattern,
            pivot.id,
            pivot.url,
            pivot.content_type,
            pivot.content_digest,
        )
        .select_from(StoredPage)
        .join(Site, Site.id == StoredPage.site_id)
        .outerjoin(PageContent, PageContent.page_id == StoredPage.id)
        .outerjoin(
            Membership,
            and_(
                Membership.page_id == StoredPage.id, Membership.generation == StoredPage.generation
            ),
        )
        .outerjoin(
            Generation,
            and_(
                Generation.site_id == StoredPage.site_id,
                Generation.number == StoredPage.generation,
            ),
        )
        .outerjoin(TemplateGroup, is_of_membership())
        .outerjoin(pivot, pivot.id == Membership.pivot_id)
        .where(StoredPage.id == page_id)
    ).one_or_none()
    if row is None:
        return None
    key, stored_at, group, role, joined, clustered_at, method, size, pattern, *of = row
    pivot_id, url, content_type, digest = of
    known = None if pivot_id is None else Pivot(pivot_id, url, content_type, digest)
    return PagePlace(
        key, stored_at, group, role, joined, clustered_at, method, size, pattern, known
    )


class Revision(NamedTuple):
    """A revision of a page's article; the message is loaded only if requested."""

    number: int
    created_at: datetime
    message: dict[str, Any] | None


def revisions_of(
    session: Session, page_id: int, *, most: int, with_messages: Sequence[int]
) -> list[Revision]:
    """Return the latest revisions of a page's article, newest first.

    Messages are included for the revisions in ``with_messages``.
    """
    rows = session.execute(
        select(
            Article.revision,
            Article.created_at,
            case((Article.revision.in_(list(with_messages)), Article.message)),
        )
        .where(Article.page_id == page_id)
        .order_by(Article.revision.desc())
        .limit(most)
    )
    return [Revision(*row) for row in rows]


class LastArticle(NamedTuple):
    """A page, and the message of its latest article, if any."""

    page_id: int
    message: dict[str, Any] | None


def last_article(session: Session, page_id: int) -> LastArticle | None:
    """Return the latest article of a page, or None if the page does not exist."""
    row = session.execute(
        select(StoredPage.id, Article.message)
        .outerjoin(
            Article,
            and_(Article.page_id == StoredPage.id, Article.revision == StoredPage.revision),
        )
        .where(StoredPage.id == page_id)
    ).one_or_none()
    return LastArticle(*row) if row is not None else None


def receipts_of(session: Session, page_id: int, most: int) -> list[tuple[datetime, str]]:
    """Return the times and results of a page's messages, newest first."""
    rows = session.execute(
        select(Receipt.received_at, Receipt.result)
        .where(Receipt.page_id == page_id)
        .order_by(Receipt.id.desc())
        .limit(most)
    )
    return [(received_at, result) for received_at, result in rows]


class GroupOutcome(NamedTuple):
    """Number of a group's pages with an outcome (None: pending), and their mean confidence."""

    outcome: str | None
    pages: int
    confidence: float | None


def outcomes_of_group(
    session: Session, site_id: int, generation: int, number: int | None
) -> list[GroupOutcome]:
    """Return the outcomes of a group's pages, or of the outliers if ``number`` is None."""
    rows = session.execute(
        select(StoredPage.outcome, func.count(), func.avg(StoredPage.confidence))
        .join(Membership, Membership.page_id == StoredPage.id)
        .where(
            Membership.site_id == site_id,
            Membership.generation == generation,
            _is_member(number),
        )
        .group_by(StoredPage.outcome)
        .order_by(func.count().desc(), StoredPage.outcome)
    )
    return [GroupOutcome(*row) for row in rows]


class Container(NamedTuple):
    """A place in the page where articles were found, with the method and the number of pages."""

    method: str | None
    xpath: str | None
    pages: int


def containers_of(session: Session, page_ids: Sequence[int]) -> list[Container]:
    """Return where the latest articles of pages were found, most frequent place first."""
    method, xpath = Article.message["method"].astext, Article.message["xpath"].astext
    rows = session.execute(
        select(method, xpath, func.count())
        .join(
            StoredPage,
            and_(StoredPage.id == Article.page_id, StoredPage.revision == Article.revision),
        )
        .where(StoredPage.id == any_(bindparam("pages", list(page_ids), type_=ARRAY(BigInteger))))
        .group_by(method, xpath)
        .order_by(func.count().desc(), xpath)
    )
    return [Container(*row) for row in rows]


def sending_of(session: Session, message_id: str) -> Literal["waiting", "refused"] | None:
    """Return whether a message is waiting for the relay or was refused, or None if neither."""
    row = session.execute(
        select(OutboxEntry.refused_at).where(OutboxEntry.message_id == message_id).limit(1)
    ).one_or_none()
    if row is None:
        return None
    return "waiting" if row[0] is None else "refused"


def _is_member(number: int | None) -> ColumnElement[bool]:
    if number is None:
        return Membership.group_number.is_(None)
    return Membership.group_number == number
