"""Search for pages and their latest articles, newest first, one screen at a time.

No index covers words and languages, so a search scans a limited number of articles, and the next
search continues where it stopped.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any, Final

from sqlalchemy.orm import Session

from inspector.reads import SQL
from models.column_types import ArticleJson

PENDING: Final = "pending"
"""Name shown instead of an outcome for pages that have none yet."""

MAX_SCANNED_PAGES: Final = 5000
MAX_SCAN_SECONDS: Final = 0.04
"""Limits after which a search for words or a language stops, to be continued by the next search."""

BATCH_PAGES: Final = 200
"""Number of pages whose articles are read by one statement."""

MAX_LEAD_LENGTH: Final = 300
"""Maximum length of a displayed lead."""


@dataclass(frozen=True)
class ArticleFilter:
    """Search criteria; None matches anything, and case is ignored.

    ``site`` is a substring of the site key, ``language`` a prefix of a language tag, and ``words``
    must all occur in the title or text. ``outcome`` may be `PENDING`. The time of receipt is at
    least ``since`` and less than ``until``, the confidence at least ``above`` and less than
    ``below``.
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
class SearchResult:
    """Result of a search, newest page first.

    The search continues with pages whose IDs are less than ``before``, which is None at the end.
    ``scanned`` is the number of pages scanned; ``is_limited`` means that the scan hit its limit.
    """

    pages: list[FoundPage]
    before: int | None
    scanned: int
    is_limited: bool


def search(
    session: Session, criteria: ArticleFilter, *, before: int | None = None, limit: int
) -> SearchResult:
    """Return up to ``limit`` pages that match a filter, newest first, with IDs below ``before``."""
    start, scanned = monotonic(), 0
    pages: list[FoundPage] = []
    batch_size = BATCH_PAGES if criteria.reads_articles else limit + 1
    while True:
        ids = _next_ids(session, criteria, before, batch_size)
        rows = session.execute(SQL.found, _article_criteria(ids, criteria))
        pages += [FoundPage(*row) for row in rows]
        scanned += len(ids)
        if len(pages) > limit:
            return SearchResult(pages[:limit], pages[limit - 1].id, scanned, False)
        if not criteria.reads_articles or len(ids) < BATCH_PAGES:
            return SearchResult(pages, None, scanned, False)
        before = ids[-1]
        if scanned >= MAX_SCANNED_PAGES or monotonic() - start > MAX_SCAN_SECONDS:
            return SearchResult(pages, before, scanned, True)


def texts_of(session: Session, page_ids: Sequence[int]) -> dict[int, str]:
    """Return the text of each page's latest article."""
    return dict(session.execute(SQL.texts, {"ids": list(page_ids)}).all())


def messages(
    session: Session, criteria: ArticleFilter, *, before: int | None
) -> tuple[list[dict[str, Any]], int | None]:
    """Return a batch of article messages, and the value of ``before`` for the next batch.

    Only pages with IDs below ``before`` are read. The second value is None for the last batch.
    """
    ids = _next_ids(session, criteria, before, BATCH_PAGES)
    query = SQL.messages.columns(message=ArticleJson)
    batch = list(session.scalars(query, _article_criteria(ids, criteria)))
    return batch, ids[-1] if len(ids) == BATCH_PAGES else None


def _next_ids(
    session: Session, criteria: ArticleFilter, before: int | None, number: int
) -> Sequence[int]:
    """Return the IDs of the next pages that match, regardless of words and language."""
    params = {**vars(criteria), "pending": PENDING, "before": before, "number": number}
    return session.scalars(SQL.next_ids, params).all()


def _article_criteria(ids: Sequence[int], criteria: ArticleFilter) -> dict[str, Any]:
    """Return the parameters of statements that filter articles by words and language."""
    # A single JSON path for all words halves the time, as each message is decompressed once.
    title_or_text = "exists($.title ? ({0})) || exists($.text ? ({0}))"
    conditions = (f'@ like_regex {json.dumps(word)} flag "iq"' for word in criteria.words)
    path = " && ".join(f"({title_or_text.format(each)})" for each in conditions) or None
    return {"ids": list(ids), "language": criteria.language, "path": path, "lead": MAX_LEAD_LENGTH}
