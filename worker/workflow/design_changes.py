"""Detection of redesigns."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy.orm import Session

from detourage.template.generations import MIN_PAGES_FOR_CHANGE, design_change
from models.tables import DesignChange
from worker.store import groups
from worker.store.groups import DatedPage

logger = logging.getLogger(__name__)

WATCHED = timedelta(days=1)
"""Minimum time for which a site must be observed before a redesign is reported: a first crawl takes
hours, and may fetch all section fronts before all articles."""

TOGETHER = timedelta(hours=1)
"""Period within which pages without a fetch time count as a single crawl, whose order is merely
that of the crawler's path through the site."""

PAGES_SEARCHED = 20_000
"""Maximum number of newest pages searched for a redesign; an older one was reported when it was
new."""


def note_design_change(session: Session, site_id: int, generation: int, *, pages: int) -> None:
    """Store and log a redesign if the newest pages belong to different groups from earlier pages.

    `pages` is the number of pages in the generation.
    """
    if pages < MIN_PAGES_FOR_CHANGE:
        return
    newest = groups.newest_pages(session, site_id, generation, PAGES_SEARCHED)
    found = design_change([page.group_number for page in newest])
    if found is None:
        return
    if not _was_watched(newest, found.first):
        return
    first = newest[found.first]
    change = DesignChange(
        site_id=site_id,
        generation=generation,
        since=first.fetched_at,
        seen_until=newest[-1].fetched_at,
        first_url=first.url,
        new_share=found.new_share,
        outlier_share=found.outlier_share,
        new_groups=list(found.new_groups),
        gone_groups=list(found.gone_groups),
    )
    if groups.note_design_change(session, change):
        logger.warning(
            "site %d: design changed at %s, fetched %s: %.0f %% of the newest pages are in new"
            " groups %s or are outliers; groups %s have no new pages",
            site_id,
            first.url,
            first.fetched_at.isoformat(),
            100 * found.new_share,
            change.new_groups,
            change.gone_groups,
        )


def _was_watched(newest: Sequence[DatedPage], first: int) -> bool:
    """Return whether the site was observed long enough before the first page that differs."""
    page = newest[first]
    if page.is_dated:
        return page.fetched_at - newest[0].fetched_at >= WATCHED
    # Times of receipt can be compared with each other, but not with fetch times.
    before = newest[:first]
    return (
        page.received_at - min(each.received_at for each in before) >= WATCHED
        and newest[-1].received_at - newest[first - 1].received_at >= TOGETHER
    )
