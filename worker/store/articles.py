"""Articles, their revisions, and the events in their history."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import to_json
from sqlalchemy import DateTime
from sqlalchemy.orm import Session

from detourage.addresses import canonical_form
from models.column_types import ArticleJson, without_block_texts
from worker import tracing
from worker.store.outbox import packed_body
from worker.store.pages import digest_of_url
from worker.store.queries import Statements
from worker.tracing import Context

SQL = Statements("articles")

LAST_ARTICLE = SQL.last_article.columns(message=ArticleJson)

READ_AT_ONCE = 50  # number of messages that an export keeps in memory at a time


class NewRevision(NamedTuple):
    """A new revision of a page's article, with its article message and how to publish it."""

    page_id: int
    content_digest: str
    message: Mapping[str, Any]
    exchange: str
    routing_key: str
    body: bytes  # the article message as JSON
    trace: Context  # trace that the message continues; if empty, the current trace


def revision_params(revisions: Sequence[NewRevision]) -> dict[str, Any]:
    """Return the parameters of ``save_revisions``, which requires that the pages are locked."""
    comments = [
        {"article_id": each.message["id"], "number": number, **_comment_values(comment)}
        for each in revisions
        for number, comment in enumerate(each.message["comments"])
    ]
    return {
        "article_ids": [each.message["id"] for each in revisions],
        "revised_ids": [each.page_id for each in revisions],
        "revisions": [each.message["revision"] for each in revisions],
        "digests": [each.content_digest for each in revisions],
        "messages": [_json(without_block_texts(each.message)) for each in revisions],
        "comments": _json(comments),
        "exchanges": [each.exchange for each in revisions],
        "routing_keys": [each.routing_key for each in revisions],
        "traces": [_json(each.trace or tracing.current()) for each in revisions],
        "bodies": [packed_body(each.body) for each in revisions],
    }


def _json(value: object) -> str:
    return to_json(value).decode()


def _comment_values(comment: Mapping[str, Any]) -> dict[str, Any]:
    published, written = comment["published"], comment["date"]
    instant = datetime.fromisoformat(published) if published is not None else None
    zoned = instant and (instant if instant.tzinfo else instant.replace(tzinfo=UTC))
    return {
        **{name: comment[name] for name in ("parent", "author", "text", "permalink", "votes")},
        "published_at": zoned and zoned.isoformat(),
        "written_date": written if written != published else None,
    }


def revisions_of_run(session: Session, message_prefix: str) -> dict[int, int]:
    """Return a run's revisions by page ID, except pages whose parts have yet to be joined."""
    return dict(session.execute(SQL.revisions_of_run, {"pattern": f"{message_prefix}%"}).all())


def articles_of_run(
    session: Session, message_prefix: str, page_ids: Sequence[int] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the current articles of a run's pages, or of those given, by site and URL."""
    query = SQL.articles_of_run.columns(message=ArticleJson).execution_options(yield_per=200)
    params = {"pattern": f"{message_prefix}%", "ids": None if page_ids is None else list(page_ids)}
    yield from session.scalars(query, params)


def articles_published(
    session: Session,
    since: datetime,
    until: datetime | None = None,
    site_ids: Sequence[int] | None = None,
) -> Iterator[tuple[datetime, dict[str, Any]]]:
    """Yield the latest articles whose revisions were stored in a period, in chronological order."""
    columns = SQL.articles_published.columns(created_at=DateTime, message=ArticleJson)
    query = columns.execution_options(yield_per=READ_AT_ONCE)
    params = {"since": since, "until": until, "site_ids": site_ids}
    yield from ((created_at, message) for created_at, message in session.execute(query, params))


MAX_EVENTS = 1_000
"""Maximum number of latest fetches, and of latest revisions, that are read for an address."""


class ArticleEvent(BaseModel):
    """A fetch of a page with its result, an outcome, or a revision of the page's article."""

    at: datetime
    page_id: int
    what: str
    revision: int | None = None


def article_events(session: Session, url: str) -> list[ArticleEvent]:
    """Return the events of the pages at a URL, oldest first; empty if the URL is unknown."""
    params = {"page_ids": page_ids_at(session, url), "limit": MAX_EVENTS}
    return [ArticleEvent(**row._asdict()) for row in session.execute(SQL.events, params)]


def page_ids_at(session: Session, url: str) -> list[int]:
    """Return the IDs of the pages at a URL, ascending."""
    digests = [digest_of_url(url), digest_of_url(canonical_form(url))]
    return list(session.scalars(SQL.page_ids_at, {"digests": digests}))
