"""Pages and their last articles, searched: the newest first, a page of the list at a time.

Words and languages stand in the articles themselves, which no index tells of: so many pages are
looked through at most, and the search goes on from there.
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
"""Pages whose articles a search for words or a language reads, and how long: what comes first."""

BATCH: Final = 200
"""Pages whose articles are read by one statement."""

LEAD_CHARACTERS: Final = 300
"""Characters of a lead that are shown."""


@dataclass(frozen=True)
class Wanted:
    """What is searched for; what is None is any.

    Parameters
    ----------
    site
        What the site's name contains, in any case.
    outcome
        Outcome of the page, `worker.outcomes.PENDING` for those without one.
    since, until
        When the page was received: from, and before.
    language
        Language of the article, or the beginning of its tag.
    below, above
        Confidence of the article: less than, and at least.
    words
        Words that are all in its title or its text, in any case.
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
        """Whether only the articles tell."""
        return bool(self.words or self.language)


@dataclass(frozen=True)
class FoundPage:
    """A page that was found, with its last article."""

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
    """What was found.

    Parameters
    ----------
    pages
        The newest first.
    before
        Id of the page that the search goes on before; None at the end.
    looked
        How many pages were looked through.
    is_cut
        Whether they were so many that the search ended there.
    """

    pages: list[FoundPage]
    before: int | None
    looked: int
    is_cut: bool


def search(session: Session, wanted: Wanted, *, before: int | None = None, limit: int) -> Found:
    """Return pages, the newest first.

    Parameters
    ----------
    session
        The transaction.
    wanted
        What is searched for.
    before
        Id of the page that the search goes on before.
    limit
        Most pages.
    """
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
    """Return the texts of the last articles of pages, by page."""
    held = _held(page_ids)
    text = held.c.message["text"].astext
    return dict(session.execute(select(held.c.id, text).where(held.c.message.is_not(None))).all())


def messages(
    session: Session, wanted: Wanted, *, before: int | None
) -> tuple[list[dict[str, Any]], int | None]:
    """Return some of the messages of the articles that are wanted, and where they go on.

    Parameters
    ----------
    session
        The transaction.
    wanted
        What is searched for.
    before
        Id of the page that the search goes on before; None to begin.
    """
    ids = _next_ids(session, wanted, before, BATCH)
    held = _held(ids)
    query = select(held.c.message).where(held.c.message.is_not(None), *_in_message(held, wanted))
    found = list(session.scalars(query.order_by(held.c.id.desc())))
    return found, ids[-1] if len(ids) == BATCH else None


def _next_ids(session: Session, wanted: Wanted, before: int | None, number: int) -> Sequence[int]:
    """Return the ids of pages that may be wanted, as far as they themselves tell."""
    query = select(StoredPage.id).where(*_in_pages(wanted))
    if wanted.site is not None:
        sites = select(Site.id).where(Site.key.icontains(wanted.site, autoescape=True))
        query = query.where(StoredPage.site_id.in_(sites))
    if before is not None:
        query = query.where(StoredPage.id < before)
    return session.scalars(query.order_by(StoredPage.id.desc()).limit(number)).all()


def _held(ids: Sequence[int]) -> CTE:
    """Return some pages with the messages of their last articles.

    Materialized: planned together with what is sought in the messages, the articles of all pages
    are read in place of those of these.
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


def _pages(ids: Sequence[int], wanted: Wanted) -> Select[Any]:
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


def _in_pages(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
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


def _in_message(held: CTE, wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    message = held.c.message
    if wanted.language is not None:
        yield message["language"].astext.istartswith(wanted.language, autoescape=True)
    if wanted.words:
        # In one path, so that a message is unpacked once: that takes as long as all else.
        path = " && ".join(map(_holds, wanted.words))
        yield func.jsonb_path_match(message, cast(path, JSONPATH))


def _holds(word: str) -> str:
    """Return the condition that a word is in the title or in the text, in any case."""
    literal = json.dumps(word)
    places = (f'exists($.{key} ? (@ like_regex {literal} flag "iq"))' for key in ("title", "text"))
    return f"({' || '.join(places)})"
