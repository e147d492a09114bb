"""Pages and their last articles, searched: the newest first, a page of the list at a time.

Words and languages stand in the articles themselves, which no index tells of: so many pages are
looked through at most, and the search goes on from there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import Session

from models.tables import Article, Site, StoredPage
from worker.outcomes import PENDING

LOOKED_THROUGH: Final = 2000
"""Pages whose articles a search for words or a language reads at once: 2,000 take some 50 ms."""


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
    is_cut
        Whether so many pages were looked through that the search ended there.
    """

    pages: list[FoundPage]
    before: int | None
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
    message = Article.message
    looked = _looked_through(session, wanted, before, limit)
    query = _with_articles(
        looked.ids,
        StoredPage.id,
        StoredPage.url,
        StoredPage.site_id,
        Site.key,
        StoredPage.outcome,
        StoredPage.received_at,
        StoredPage.confidence,
        StoredPage.revision,
        message["title"].astext,
        message["language"].astext,
        func.left(message["lead"].astext, 300),
    )
    rows = session.execute(query.where(*_in_articles(wanted)).limit(limit + 1)).all()
    shown = rows[:limit]
    if len(rows) > limit:
        return Found([FoundPage(*row) for row in shown], shown[-1].id, False)
    return Found([FoundPage(*row) for row in shown], looked.before, looked.before is not None)


def messages(
    session: Session, wanted: Wanted, *, before: int | None
) -> tuple[list[Any], int | None]:
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
    looked = _looked_through(session, wanted, before, MESSAGES_AT_ONCE)
    query = _with_articles(looked.ids, Article.message).where(
        Article.id.is_not(None), *_in_articles(wanted)
    )
    return list(session.scalars(query)), looked.before


MESSAGES_AT_ONCE: Final = 200


@dataclass(frozen=True)
class _Looked:
    ids: Sequence[int]
    before: int | None


def _looked_through(session: Session, wanted: Wanted, before: int | None, limit: int) -> _Looked:
    number = LOOKED_THROUGH if wanted.reads_articles else limit + 1
    query = select(StoredPage.id).where(*_in_pages(wanted))
    if wanted.site is not None:
        sites = select(Site.id).where(Site.key.icontains(wanted.site, autoescape=True))
        query = query.where(StoredPage.site_id.in_(sites))
    if before is not None:
        query = query.where(StoredPage.id < before)
    ids = session.scalars(query.order_by(StoredPage.id.desc()).limit(number)).all()
    return _Looked(ids, ids[-1] if len(ids) == number else None)


def _with_articles(ids: Sequence[int], *columns: Any) -> Select[Any]:
    return (
        select(*columns)
        .select_from(StoredPage)
        .join(Site, Site.id == StoredPage.site_id)
        .outerjoin(
            Article,
            and_(Article.page_id == StoredPage.id, Article.revision == StoredPage.revision),
        )
        .where(StoredPage.id.in_(ids))
        .order_by(StoredPage.id.desc())
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


def _in_articles(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    message = Article.message
    if wanted.language is not None:
        yield message["language"].astext.istartswith(wanted.language, autoescape=True)
    for word in wanted.words:
        yield or_(
            message["title"].astext.icontains(word, autoescape=True),
            message["text"].astext.icontains(word, autoescape=True),
        )
