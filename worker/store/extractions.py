"""Extractions that pages wait for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import and_, func, select, update
from sqlalchemy.orm import Session, aliased

from models.tables import Article, Membership, PageContent, Site, StoredPage, TemplateGroup
from worker.store.pages import is_pending, unpack_content


def await_extraction(session: Session, page_ids: Sequence[int], generation: int) -> list[int]:
    """Make pages wait for their extraction with a generation, even if they had one with it.

    Returns those that do, ascending: not pages without a tree, or whose HTML was removed.
    """
    return sorted(
        session.scalars(
            update(StoredPage)
            .where(
                StoredPage.id.in_(page_ids),
                StoredPage.tree_id.is_not(None),
                StoredPage.html_removed_at.is_(None),
            )
            .values(
                generation=generation,
                extracted_generation=generation - 1,
                asked_at=func.now(),
                attempts=0,
            )
            .returning(StoredPage.id)
        )
    )


@dataclass(frozen=True)
class Begun:
    """An extraction that a worker begins with, with all that the store knows for it.

    Attributes
    ----------
    page
        The page; its attempts count this one.
    site_key
        Key of its site.
    content
        The page as fetched.
    membership, group_size, group_pattern
        Its place in the generation, the number of pages there, and where they have comments
        (`TemplateGroup.comment_pattern`).
    pivot
        The page that it is compared with.
    """

    page: StoredPage
    site_key: str
    content: bytes | str
    membership: Membership
    group_size: int
    group_pattern: str | None
    pivot: StoredPage | None


def begin(session: Session, page_id: int, generation: int) -> Begun | None:
    """Count that a worker begins with an extraction; nothing if the page does not wait for it."""
    # In two statements and not in eight: every round trip costs half a millisecond.
    page = session.scalar(
        update(StoredPage)
        .where(
            StoredPage.id == page_id,
            StoredPage.generation == generation,
            StoredPage.tree_id.is_not(None),
            is_pending(),
        )
        .values(attempts=StoredPage.attempts + 1)
        .returning(StoredPage)
        .execution_options(synchronize_session=False)
    )
    pivot = aliased(StoredPage)
    found = session.execute(
        select(
            Site.key,
            PageContent.compressed,
            PageContent.is_text,
            Membership,
            TemplateGroup.size,
            TemplateGroup.comment_pattern,
            pivot,
        )
        .select_from(Membership)
        .join(Site, Site.id == Membership.site_id)
        .join(PageContent, PageContent.page_id == Membership.page_id)
        .outerjoin(
            TemplateGroup,
            and_(
                TemplateGroup.site_id == Membership.site_id,
                TemplateGroup.generation == Membership.generation,
                TemplateGroup.number == Membership.group_number,
            ),
        )
        .outerjoin(pivot, pivot.id == Membership.pivot_id)
        .where(Membership.page_id == page_id, Membership.generation == generation)
    ).one_or_none()
    if page is None or found is None:
        return None
    site_key, compressed, is_text, membership, size, pattern, pivot_page = found
    content = unpack_content(compressed, is_text)
    return Begun(page, site_key, content, membership, size or 1, pattern, pivot_page)


@dataclass(frozen=True)
class Standing:
    """What an extraction must not have been overtaken by, and its last article.

    Attributes
    ----------
    pivot_id
        The page that it is to be compared with.
    last_digest
        Digest of its last article.
    """

    pivot_id: int | None
    last_digest: str | None


def standing(session: Session, page_id: int, generation: int) -> Standing | None:
    """Return how a page stands now; nothing if it has no place in the generation."""
    last_digest = (
        select(Article.content_digest)
        .where(Article.page_id == page_id)
        .order_by(Article.revision.desc())
        .limit(1)
        .scalar_subquery()
    )
    found = session.execute(
        select(Membership.pivot_id, last_digest).where(
            Membership.page_id == page_id, Membership.generation == generation
        )
    ).one_or_none()
    return None if found is None else Standing(*found)


def take_late(
    session: Session, *, patience_seconds: float, limit: int
) -> dict[int, list[tuple[int, int]]]:
    """Return pages, each with its generation, whose extraction was asked for too long ago.

    They come by the id of their site, and count as asked for again.
    """
    late = (
        select(StoredPage.id)
        .where(
            is_pending(),
            StoredPage.generation > 0,
            StoredPage.tree_id.is_not(None),
            StoredPage.asked_at <= func.now() - timedelta(seconds=patience_seconds),
        )
        .order_by(StoredPage.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    rows = session.execute(
        update(StoredPage)
        .where(StoredPage.id.in_(late))
        .values(asked_at=func.now())
        .returning(StoredPage.site_id, StoredPage.id, StoredPage.generation)
    )
    by_site: dict[int, list[tuple[int, int]]] = {}
    for site_id, page_id, generation in sorted(map(tuple, rows)):
        by_site.setdefault(site_id, []).append((page_id, generation))
    return by_site
