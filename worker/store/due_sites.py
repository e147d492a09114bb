"""Sites due for clustering."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, func, literal, or_, select
from sqlalchemy.orm import Session

from models.tables import (
    ClusteringAttempt,
    ClusteringRequest,
    ComparisonBlock,
    Generation,
    Site,
    StoredPage,
)
from worker.store.clusterings import may_begin
from worker.store.provisional import PROVISIONAL


@dataclass(frozen=True)
class SettleTimes:
    """Waiting times, in seconds, before a site is clustered."""

    silence: float
    """Time without a new page after which a site is considered settled."""
    first_silence: float
    """Same as ``silence``, for a site that has never been clustered."""
    longest: float
    """Maximum time since the latest clustering for which the site waits to settle."""
    first_longest: float
    """Maximum time since the first page, for a site that has never been clustered."""


@dataclass(frozen=True)
class DueSite:
    """A site to be clustered; ``is_new`` means that it has never been clustered."""

    id: int
    is_new: bool
    pages: int


def due_sites(
    session: Session,
    settle: SettleTimes,
    *,
    patience_seconds: float,
    pauses_seconds: Sequence[float] = (),
    first_at_once: bool = False,
) -> list[DueSite]:
    """Return the settled sites whose pages have changed since their last clustering.

    A site is settled once no new page has arrived for a while, or once it has waited too long for
    that (``settle``). With ``first_at_once``, a site that has never been clustered is due without
    any wait.

    The following are excluded: sites with comparisons in progress, unless one was requested more
    than ``patience_seconds`` ago; sites whose clustering was requested within that time and has not
    yet been started by a worker; and sites whose failed clustering must not be retried yet
    (`worker.store.clusterings.may_begin`).
    """
    last = (
        select(
            Generation.site_id,
            func.max(Generation.site_version).label("version"),
            func.max(Generation.created_at).label("at"),
        )
        .where(Generation.method != PROVISIONAL)
        .group_by(Generation.site_id)
        .subquery()
    )
    of_site = StoredPage.site_id == Site.id
    first_page = select(func.min(StoredPage.received_at)).where(of_site).scalar_subquery()
    number = select(func.count()).select_from(StoredPage).where(of_site).scalar_subquery()
    blocks = (
        select(
            ComparisonBlock.site_id,
            func.min(ComparisonBlock.asked_at).label("oldest"),
        )
        .group_by(ComparisonBlock.site_id)
        .subquery()
    )

    def ago(seconds: float) -> ColumnElement[datetime]:
        return func.now() - timedelta(seconds=seconds)

    is_new = last.c.at.is_(None)
    rows = session.execute(
        select(Site.id, is_new, number)
        .outerjoin(blocks, blocks.c.site_id == Site.id)
        .outerjoin(last, last.c.site_id == Site.id)
        .outerjoin(ClusteringAttempt, ClusteringAttempt.site_id == Site.id)
        .outerjoin(ClusteringRequest, ClusteringRequest.site_id == Site.id)
        .where(
            or_(
                ClusteringRequest.site_id.is_(None),
                ClusteringRequest.asked_at <= ago(patience_seconds),
            ),
            or_(ClusteringAttempt.site_id.is_(None), may_begin()),
            Site.version > func.coalesce(last.c.version, 0),
            or_(
                Site.changed_at <= ago(settle.silence),
                last.c.at <= ago(settle.longest),
                and_(
                    is_new,
                    or_(
                        Site.changed_at <= ago(settle.first_silence),
                        first_page <= ago(settle.first_longest),
                        literal(first_at_once),
                    ),
                ),
            ),
            or_(
                blocks.c.oldest.is_(None),
                blocks.c.oldest <= ago(patience_seconds),
            ),
        )
        .order_by(Site.changed_at, Site.id),
        {"pauses_seconds": list(pauses_seconds)},
    )
    return [DueSite(*row) for row in rows]
