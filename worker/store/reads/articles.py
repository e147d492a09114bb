"""Search for pages and their latest articles, newest first, one screen at a time.

No index covers words and languages, so a search scans a limited number of articles, and the next
search continues where it stopped.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any, Final

from sqlalchemy import CTE, ColumnElement, Select, and_, cast, func, select
from sqlalchemy.dialects.postgresql import JSONPATH
from sqlalchemy.orm import Session

from models.tables import Article, Site, StoredPage
from worker.outcomes import PENDING

LOOKED_THROUGH: Final = 5000
LOOKING_SECONDS: Final = 0.04
"""Maximum number of pages scanned, and time spent, in one search for words or a language."""

BATCH: Final = 200
"""Number of pages whose articles are read by one statement."""

LEAD_CHARACTERS: Final = 300
"""Maximum length of a displayed lead."""


@dataclass(frozen=True)
class ArticleFilter:
    """Search criteria; None matches anything, and case is ignored.

    ``site`` is a substring of the site key, ``language`` a prefix of a language tag, and ``words``
    must all occur in the title or text. ``outcome`` may be `worker.outcomes.PENDING`. ``since`` and
    ``until`` limit the time of receipt, ``above`` and ``below`` the confidence; only the lower
    limits are inclusive.
    """

    site: str | None = None
    outcome: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    language: str | None = None
    below: float | None = None
    above: float | None = None
    words: tuple[str, ...] = ()

    @property
    def reads_articles(self) -> bool:
        """Whether matching requires reading articles."""
        return bool(self.words or self.language)


@dataclass(frozen=True)
class FoundPage:
    """A matching page with its latest article."""

    id: int
    url: str
    site_id: int
    site: str
    outcome: str | None
    received_at: datetime
    confidence: float | None
    revision: int
    title: str | None
    language: str | None
    lead: str | None


@dataclass(frozen=True)
class Found:
    """Result of a search, newest page first.

    ``before`` is the page ID before which the search continues, or None at the end. ``looked`` is
    the number of pages scanned, and ``is_cut`` means that the scan hit its limit.
    """

    pages: list[FoundPage]
    before: int | None
    looked: int
    is_cut: bool


def search(
    session: Session, wanted: ArticleFilter, *, before: int | None = None, limit: int
) -> Found:
    """Return up to ``limit`` matching pages with IDs below ``before``, newest first."""
    began, looked, found = monotonic(), 0, []
    while True:
        ids = _next_ids(session, wanted, before, BATCH if wanted.reads_articles else limit + 1)
        found += [FoundPage(*row) for row in session.execute(_pages(ids, wanted))]
        looked += len(ids)
        if len(found) > limit:
            return Found(found[:limit], found[limit - 1].id, looked, False)
        if not wanted.reads_articles or len(ids) < BATCH:
            return Found(found, None, looked, False)
        before = ids[-1]
        if looked >= LOOKED_THROUGH or monotonic() - began > LOOKING_SECONDS:
            return Found(found, before, looked, True)


def texts_of(session: Session, page_ids: Sequence[int]) -> dict[int, str]:
    """Return the text of each page's latest article."""
    held = _held(page_ids)
    text = held.c.message["text"].astext
    return dict(session.execute(select(held.c.id, text).where(held.c.message.is_not(None))).all())


def messages(
    session: Session, wanted: ArticleFilter, *, before: int | None
) -> tuple[list[dict[str, Any]], int | None]:
    """Return a batch of matching article messages, and the next ``before``, or None at the end."""
    ids = _next_ids(session, wanted, before, BATCH)
    held = _held(ids)
    query = select(held.c.message).where(held.c.message.is_not(None), *_in_message(held, wanted))
    found = list(session.scalars(query.order_by(held.c.id.desc())))
    return found, ids[-1] if len(ids) == BATCH else None


def _next_ids(
    session: Session, wanted: ArticleFilter, before: int | None, number: int
) -> Sequence[int]:
    """Return the IDs of pages that meet the criteria that can be checked without articles."""
    query = select(StoredPage.id).where(*_in_pages(wanted))
    if wanted.site is not None:
        sites = select(Site.id).where(Site.key.icontains(wanted.site, autoescape=True))
        query = query.where(StoredPage.site_id.in_(sites))
    if before is not None:
        query = query.where(StoredPage.id < before)
    return session.scalars(query.order_by(StoredPage.id.desc()).limit(number)).all()


def _held(ids: Sequence[int]) -> CTE:
    """Return pages with their latest article messages.

    The CTE is materialized; otherwise, PostgreSQL would read the articles of all pages.
    """
    return (
        select(
            StoredPage.id,
            StoredPage.url,
            StoredPage.site_id,
            Site.key,
            StoredPage.outcome,
            StoredPage.received_at,
            StoredPage.confidence,
            StoredPage.revision,
            Article.message,
        )
        .join(Site, Site.id == StoredPage.site_id)
        .outerjoin(
            Article,
            and_(Article.page_id == StoredPage.id, Article.revision == StoredPage.revision),
        )
        .where(StoredPage.id.in_(ids))
        .cte("held")
        .prefix_with("MATERIALIZED")
    )


def _pages(ids: Sequence[int], wanted: ArticleFilter) -> Select[Any]:
    held = _held(ids)
    message = held.c.message
    return (
        select(
            *(column for column in held.c if column is not message),
            message["title"].astext,
            message["language"].astext,
            func.left(message["lead"].astext, LEAD_CHARACTERS),
        )
        .where(*_in_message(held, wanted))
        .order_by(held.c.id.desc())
    )


def _in_pages(wanted: ArticleFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.outcome == PENDING:
        yield StoredPage.outcome.is_(None)
    elif wanted.outcome is not None:
        yield StoredPage.outcome == wanted.outcome
    if wanted.since is not None:
        yield StoredPage.received_at >= wanted.since
    if wanted.until is not None:
        yield StoredPage.received_at < wanted.until
    if wanted.below is not None:
        yield StoredPage.confidence < wanted.below
    if wanted.above is not None:
        yield StoredPage.confidence >= wanted.above


def _in_message(held: CTE, wanted: ArticleFilter) -> Iterator[ColumnElement[bool]]:
    message = held.c.message
    if wanted.language is not None:
        yield message["language"].astext.istartswith(wanted.language, autoescape=True)
    if wanted.words:
        # A single JSON path for all words halves the time, as each message is decompressed once.
        path = " && ".join(map(_holds, wanted.words))
        yield func.jsonb_path_match(message, cast(path, JSONPATH))


def _holds(word: str) -> str:
    """Return the condition that the title or text contains a word, ignoring case."""
    literal = json.dumps(word)
    places = (f'exists($.{key} ? (@ like_regex {literal} flag "iq"))' for key in ("title", "text"))
    return f"({' || '.join(places)})"
