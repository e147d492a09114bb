"""Which articles are probably not right, counted by site: a site whose extraction went dark."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from models.messages import DOUBTFUL
from models.tables import StoredPage
from worker.outcomes import PageOutcome
from worker.store.pages import only_sites

LATELY = timedelta(days=1)
"""Time in which an article was asked for that counts as one of late."""

MIN_DOUBTFUL = 5
"""Doubtful articles of late from which on a site may have gone dark: fewer may be by chance."""


class Doubts(NamedTuple):
    """The articles of a site of late.

    Attributes
    ----------
    articles
        Their number.
    doubtful
        Number of those that are doubtful.
    """

    articles: int
    doubtful: int

    @property
    def is_dark(self) -> bool:
        """Whether most of them are doubtful."""
        return self.doubtful >= MIN_DOUBTFUL and 2 * self.doubtful > self.articles


def is_doubtful() -> ColumnElement[bool]:
    """Condition: the page has an article that is probably not right."""
    return (StoredPage.outcome == PageOutcome.ARTICLE) & (StoredPage.confidence < DOUBTFUL)


def walled_sites(session: Session) -> dict[int, int]:
    """Return by site how many recent pages are walls, for the sites that have most."""
    walls = func.count().filter(StoredPage.outcome == PageOutcome.WALL)
    query = (
        select(StoredPage.site_id, walls)
        .where(StoredPage.asked_at > func.now() - LATELY, StoredPage.outcome.is_not(None))
        .group_by(StoredPage.site_id)
        .having(walls >= MIN_DOUBTFUL, 2 * walls > func.count())
    )
    return dict(session.execute(query).all())


def doubts_of_sites(session: Session, site_ids: Sequence[int] | None = None) -> dict[int, Doubts]:
    """Return the articles of late of sites that have doubtful ones among them, by site.

    Parameters
    ----------
    session
        The transaction.
    site_ids
        The sites, None for all.
    """
    doubtful = func.count().filter(is_doubtful())
    query = (
        select(StoredPage.site_id, func.count(), doubtful)
        .where(
            StoredPage.outcome == PageOutcome.ARTICLE,
            StoredPage.asked_at > func.now() - LATELY,
        )
        .group_by(StoredPage.site_id)
        .having(doubtful > 0)
    )
    rows = session.execute(only_sites(query, StoredPage.site_id, site_ids))
    return {site_id: Doubts(articles, number) for site_id, articles, number in rows}
