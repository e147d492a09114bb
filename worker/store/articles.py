"""Articles, their revisions, and the latest links of pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Select,
    any_,
    cast,
    func,
    insert,
    select,
)
from sqlalchemy.orm import Session

from detourage.outcomes import PageOutcome
from models.column_types import ArticleJson, without_block_texts
from models.tables import (
    Article,
    ArticleComment,
    PageParts,
    Receipt,
    Site,
    StoredPage,
)
from worker.store.database import rows_only, sql
from worker.store.outbox import NewMessage
from worker.store.pages import has_article

S = TypeVar("S", bound=Select[*tuple[Any, ...]])

READ_AT_ONCE = 50
"""Number of messages that an export keeps in memory at a time."""


@dataclass(frozen=True)
class NewRevision:
    """A new revision of a page's article, given as its article message and as that to publish."""

    page_id: int
    content_digest: str
    message: Mapping[str, Any]
    outgoing: NewMessage


_ADD_ARTICLES = rows_only(insert(Article))
_ADD_COMMENTS = rows_only(insert(ArticleComment))


def save_articles(session: Session, new: Sequence[NewRevision]) -> None:
    """Store new revisions of articles, with their comments."""
    rows = [
        {
            "id": UUID(each.message["id"]),
            "page_id": each.page_id,
            "revision": each.message["revision"],
            "content_digest": each.content_digest,
            "message": without_block_texts(each.message),
        }
        for each in new
    ]
    session.execute(_ADD_ARTICLES, rows)
    comments = [
        {"article_id": row["id"], "number": number, **_comment_values(comment)}
        for each, row in zip(new, rows, strict=True)
        for number, comment in enumerate(each.message["comments"])
    ]
    if comments:
        session.execute(_ADD_COMMENTS, comments)


def _comment_values(comment: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a comment in a message."""
    published, written = comment["published"], comment["date"]
    instant = datetime.fromisoformat(published) if published is not None else None
    return {
        **{name: comment[name] for name in ("parent", "author", "text", "permalink", "votes")},
        "published_at": instant and (instant if instant.tzinfo else instant.replace(tzinfo=UTC)),
        "written_date": written if written != published else None,
    }


def note_revision(session: Session, page_id: int, revision: int) -> None:
    """Record a new revision of a page's article; the page must be locked."""
    query = sql("UPDATE pages SET revision = :revision WHERE id = :page_id")
    session.execute(query, {"page_id": page_id, "revision": revision})


_LAST_ARTICLE = sql("""
    SELECT message, content_digest FROM articles WHERE page_id = :page_id
    ORDER BY revision DESC LIMIT 1
""").columns(message=ArticleJson)


def last_article(session: Session, page_id: int) -> tuple[dict[str, Any], str]:
    """Return the message and the digest of a page's latest article, which must exist."""
    message, digest = session.execute(_LAST_ARTICLE, {"page_id": page_id}).one()
    return message, digest


def last_texts(session: Session, page_ids: Sequence[int]) -> dict[int, str]:
    """Return the text of each page's latest article."""
    query = sql("""
        SELECT DISTINCT ON (page_id) page_id, message ->> 'text' FROM articles
        WHERE page_id = ANY (CAST(:page_ids AS bigint[]))
        ORDER BY page_id, revision DESC
    """)
    return dict(session.execute(query, {"page_ids": list(page_ids)}).all())


def _of_run(message_prefix: str) -> ColumnElement[bool]:
    """Condition: the page was received in one of the messages of a command-line run."""
    received = Receipt.message_id.startswith(message_prefix, autoescape=True)
    return StoredPage.id.in_(select(Receipt.page_id).where(received).distinct())


def _in_order(query: S, message_prefix: str) -> S:
    """Restrict a query on stored pages to the pages of a run, ordered by site and URL."""
    return (
        query.join(Site, Site.id == StoredPage.site_id)
        .where(_of_run(message_prefix))
        .order_by(func.convert_to(Site.key, "UTF8"), func.convert_to(StoredPage.url, "UTF8"))
        .execution_options(yield_per=200)
    )


def revisions_of_run(session: Session, message_prefix: str) -> dict[int, int]:
    """Return the revision of each article yielded by `articles_of_run`, by page ID.

    Parts that are yet to be joined are skipped, because joining gives their article a new revision.
    """
    to_join = select(PageParts.page_id).where(PageParts.version > PageParts.seen_version)
    query = select(StoredPage.id, StoredPage.revision).where(
        has_article(), _of_run(message_prefix), StoredPage.id.not_in(to_join)
    )
    return dict(session.execute(query).all())


def articles_of_run(
    session: Session, message_prefix: str, page_ids: Sequence[int] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the latest articles of a run's pages (or the given ones), ordered by site and URL.

    Pages without a current article (`has_article`) are skipped.
    """
    query = (
        select(Article.message)
        .join(StoredPage, StoredPage.id == Article.page_id)
        .where(has_article(), Article.revision == StoredPage.revision)
    )
    if page_ids is not None:
        query = query.where(StoredPage.id == any_(cast(list(page_ids), ARRAY(BigInteger))))
    yield from session.scalars(_in_order(query, message_prefix))


def articles_published(
    session: Session,
    since: datetime,
    until: datetime | None = None,
    site_ids: Sequence[int] | None = None,
) -> Iterator[tuple[datetime, dict[str, Any]]]:
    """Yield the latest articles whose revisions were stored in a period, each with its time.

    They are in chronological order. The period excludes ``until``; None means no restriction.
    Messages are as published, including those of withdrawn articles; pages that joined another
    page are skipped.
    """
    query = (
        select(Article.created_at, Article.message)
        .join(StoredPage, StoredPage.id == Article.page_id)
        .where(
            Article.created_at >= since,
            Article.revision == StoredPage.revision,
            StoredPage.outcome.is_distinct_from(PageOutcome.JOINED),
        )
        .order_by(Article.created_at, Article.id)
        .execution_options(yield_per=READ_AT_ONCE)
    )
    if until is not None:
        query = query.where(Article.created_at < until)
    if site_ids is not None:
        query = query.where(StoredPage.site_id.in_(site_ids))
    yield from ((created_at, message) for created_at, message in session.execute(query))
