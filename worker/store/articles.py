"""Articles and their revisions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, BigInteger, any_, bindparam, insert, select, update
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from models.tables import Article, ArticleComment, StoredPage, StoryArticle
from worker.comments import Comment
from worker.outcomes import PageOutcome
from worker.store.pages import has_article, only_sites
from worker.store.runs import is_of_run, of_run
from worker.store.statements import rows_only

READ_AT_ONCE = 50
"""Number of messages that an export keeps in memory at a time."""


@dataclass(frozen=True)
class NewArticle:
    """A new revision of a page's article (see `Article`), with its comments."""

    id: UUID
    page_id: int
    revision: int
    content_digest: str
    message: dict[str, Any]
    comments: Sequence[Comment]


_ADD_ARTICLES = rows_only(insert(Article))
_ADD_COMMENTS = rows_only(insert(ArticleComment))


def save_articles(session: Session, new: Sequence[NewArticle]) -> None:
    """Store new revisions of articles, with their comments."""
    session.execute(
        _ADD_ARTICLES,
        [
            {
                "id": article.id,
                "page_id": article.page_id,
                "revision": article.revision,
                "content_digest": article.content_digest,
                "message": article.message,
            }
            for article in new
        ],
    )
    comments = [
        {
            "article_id": article.id,
            "number": number,
            "parent": comment.parent,
            "author": comment.author,
            "published_at": comment.date.instant if comment.date else None,
            "written_date": comment.written_date,
            "text": comment.text,
            "permalink": comment.permalink,
            "votes": comment.votes,
        }
        for article in new
        for number, comment in enumerate(article.comments)
    ]
    if comments:
        session.execute(_ADD_COMMENTS, comments)


def note_revision(session: Session, page_id: int, revision: int) -> None:
    """Record a new revision of a page's article; the page must be locked."""
    session.execute(
        update(StoredPage)
        .where(StoredPage.id == page_id)
        .values(revision=revision)
        .execution_options(synchronize_session=False)
    )


def last_article(session: Session, page_id: int) -> tuple[dict[str, Any], str]:
    """Return the message and the digest of a page's latest article, which must exist."""
    message, digest = session.execute(_LAST_ARTICLE, {"page_id": page_id}).one()
    return message, digest


_LAST_ARTICLE = rows_only(
    select(Article.message, Article.content_digest)
    .where(Article.page_id == bindparam("page_id", type_=BigInteger))
    .order_by(Article.revision.desc())
    .limit(1)
)


def last_message(session: Session, page_id: int) -> dict[str, Any] | None:
    """Return the message of a page's latest article, or None."""
    found = session.execute(_LAST_ARTICLE, {"page_id": page_id}).first()
    return None if found is None else found[0]


def last_texts(session: Session, page_ids: Sequence[int]) -> dict[int, str]:
    """Return the text of each page's latest article."""
    return dict(session.execute(_LAST_TEXTS, {"page_ids": list(page_ids)}).all())


_LAST_TEXTS = rows_only(
    select(Article.page_id, Article.message["text"].astext)
    .where(Article.page_id == any_(bindparam("page_ids", type_=ARRAY(BigInteger))))
    .ext(distinct_on(Article.page_id))
    .order_by(Article.page_id, Article.revision.desc())
)


def last_entries(session: Session, page_id: int) -> list[dict[str, Any]]:
    """Return the entries in the message of a page's latest article, or an empty list."""
    entries = session.scalar(_LAST_ENTRIES, {"page_id": page_id})
    return entries if isinstance(entries, list) else []


_LAST_ENTRIES = rows_only(
    select(Article.message["entries"])
    .where(Article.page_id == bindparam("page_id", type_=BigInteger))
    .order_by(Article.revision.desc())
    .limit(1)
)


def revisions_of_run(session: Session, message_prefix: str) -> dict[int, int]:
    """Return the revision of each article yielded by `articles_of_run`, by page ID."""
    query = select(StoredPage.id, StoredPage.revision).where(
        has_article(), is_of_run(message_prefix)
    )
    return dict(session.execute(query).all())


def articles_of_run(
    session: Session, message_prefix: str, page_ids: Sequence[int] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the latest articles of a run's pages (or the given ones), ordered by site and URL.

    Pages without a current article (`has_article`) are skipped. Each message contains the article's
    current story, not its story at the time of extraction.
    """
    query = (
        select(Article.message, StoryArticle.told)
        .outerjoin(StoryArticle, StoryArticle.page_id == Article.page_id)
        .join(StoredPage, StoredPage.id == Article.page_id)
        .where(
            has_article(),
            Article.revision == StoredPage.revision,
        )
    )
    if page_ids is not None:
        query = query.where(
            StoredPage.id == any_(bindparam(None, list(page_ids), type_=ARRAY(BigInteger)))
        )
    for message, told in session.execute(of_run(query, message_prefix)):
        yield {**message, "story": told} if told is not None else message


def articles_published(
    session: Session,
    since: datetime,
    until: datetime | None = None,
    site_ids: Sequence[int] | None = None,
) -> Iterator[tuple[datetime, dict[str, Any]]]:
    """Yield the latest articles whose revisions were stored in a period, each with its time.

    They are in the order of time. The period excludes ``until``; None means no restriction.
    Messages are as published, including those of withdrawn articles; pages that joined another page
    are skipped.
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
    rows = session.execute(only_sites(query, StoredPage.site_id, site_ids))
    yield from ((created_at, message) for created_at, message in rows)
