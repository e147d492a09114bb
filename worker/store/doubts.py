"""Doubtful articles by site, which reveal sites whose extraction has broken."""

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
"""Maximum age of a recent page, measured from its extraction request."""

MIN_DOUBTFUL = 5
"""Minimum number of recent articles or walls for a site to be reported; fewer may be accidental."""


class Doubts(NamedTuple):
    """Number of a site's recent articles, and how many of them are doubtful."""

    articles: int
    doubtful: int

    @property
    def is_dark(self) -> bool:
        """Whether most recent articles are doubtful."""
        return self.doubtful >= MIN_DOUBTFUL and 2 * self.doubtful > self.articles


def is_doubtful() -> ColumnElement[bool]:
    """Condition: the page has an article that is probably wrong."""
    return (StoredPage.outcome == PageOutcome.ARTICLE) & (StoredPage.confidence < DOUBTFUL)


def walled_sites(session: Session) -> dict[int, int]:
    """Return the number of recent walls, by site, for sites where they are the majority."""
    walls = func.count().filter(StoredPage.outcome == PageOutcome.WALL)
    query = (
        select(StoredPage.site_id, walls)
        .where(StoredPage.asked_at > func.now() - LATELY, StoredPage.outcome.is_not(None))
        .group_by(StoredPage.site_id)
        .having(walls >= MIN_DOUBTFUL, 2 * walls > func.count())
    )
    return dict(session.execute(query).all())


def doubts_of_sites(session: Session, site_ids: Sequence[int] | None = None) -> dict[int, Doubts]:
    """Return the counts for the given sites (all if None) that have recent doubtful articles."""
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
