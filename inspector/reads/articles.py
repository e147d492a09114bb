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
"""Label of the pages without an outcome."""

MAX_SCANNED: Final = 5000
MAX_SCAN_SECONDS: Final = 0.04
"""Maximum number of pages scanned, and time spent, in one search for words or a language."""

BATCH: Final = 200
"""Number of pages whose articles are read by one statement."""

MAX_LEAD_LENGTH: Final = 300
"""Maximum length of a displayed lead."""


@dataclass(frozen=True)
class ArticleFilter:
    """Search criteria; None matches anything, and case is ignored.

    ``site`` is a substring of the site key, ``language`` a prefix of a language tag, and ``words``
    must all occur in the title or text. ``outcome`` may be `PENDING`. ``since`` and
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

    The search continues with pages whose IDs are less than ``before``, which is None at the end.
    ``scanned`` is the number of pages scanned; ``is_limited`` means that the scan hit its limit.
    """

    pages: list[FoundPage]
    before: int | None
    scanned: int
    is_limited: bool


def search(
    session: Session, wanted: ArticleFilter, *, before: int | None = None, limit: int
) -> Found:
    """Return up to ``limit`` matching pages with IDs below ``before``, newest first."""
    began, scanned, found = monotonic(), 0, []
    while True:
        ids = _next_ids(session, wanted, before, BATCH if wanted.reads_articles else limit + 1)
        found += [FoundPage(*row) for row in session.execute(SQL.found, _in_message(ids, wanted))]
        scanned += len(ids)
        if len(found) > limit:
            return Found(found[:limit], found[limit - 1].id, scanned, False)
        if not wanted.reads_articles or len(ids) < BATCH:
            return Found(found, None, scanned, False)
        before = ids[-1]
        if scanned >= MAX_SCANNED or monotonic() - began > MAX_SCAN_SECONDS:
            return Found(found, before, scanned, True)


def texts_of(session: Session, page_ids: Sequence[int]) -> dict[int, str]:
    """Return the text of each page's latest article."""
    return dict(session.execute(SQL.texts, {"ids": list(page_ids)}).all())


def messages(
    session: Session, wanted: ArticleFilter, *, before: int | None
) -> tuple[list[dict[str, Any]], int | None]:
    """Return a batch of matching article messages, and the next ``before``, or None at the end."""
    ids = _next_ids(session, wanted, before, BATCH)
    query = SQL.messages.columns(message=ArticleJson)
    found = list(session.scalars(query, _in_message(ids, wanted)))
    return found, ids[-1] if len(ids) == BATCH else None


def _next_ids(
    session: Session, wanted: ArticleFilter, before: int | None, number: int
) -> Sequence[int]:
    """Return the IDs of pages that meet the criteria that can be checked without articles."""
    params = {**vars(wanted), "pending": PENDING, "before": before, "number": number}
    return session.scalars(SQL.next_ids, params).all()


def _in_message(ids: Sequence[int], wanted: ArticleFilter) -> dict[str, Any]:
    # A single JSON path for all words halves the time, as each message is decompressed once.
    places = "exists($.title ? ({0})) || exists($.text ? ({0}))"
    words = (f'@ like_regex {json.dumps(word)} flag "iq"' for word in wanted.words)
    path = " && ".join(f"({places.format(word)})" for word in words) or None
    return {"ids": list(ids), "language": wanted.language, "path": path, "lead": MAX_LEAD_LENGTH}
