"""Noticing that a site looks other than before."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy.orm import Session

from models.tables import DesignChange
from worker.grouping.generations import FEWEST_TO_TELL_A_CHANGE, design_change
from worker.store import designs
from worker.store.designs import DatedPage

logger = logging.getLogger(__name__)

WATCHED = timedelta(days=1)
"""Time that a site was seen before a change of it is reported: a first crawl, which may bring
all section fronts and then all articles, takes hours."""

TOGETHER = timedelta(hours=1)
"""Time within which pages without a date of fetching count as fetched together: the order in which
a crawler sends them tells how it goes through the site, not how that changes."""

PAGES_LOOKED_AT = 20_000
"""Newest pages among which a change of design is sought: a fifth of a second at most, and a
change that lies farther back was noticed when it was new, or came in one period with as many
pages after it."""


def note_design_change(session: Session, site_id: int, generation: int, *, pages: int) -> None:
    """Store, and log, that the newest pages of a site are of other groups than those before.

    Parameters
    ----------
    session
        The transaction.
    site_id, generation
        The site, and its newest generation.
    pages
        Number of pages that this has.
    """
    if pages < FEWEST_TO_TELL_A_CHANGE:
        return
    newest = designs.newest_pages(session, site_id, generation, PAGES_LOOKED_AT)
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
    if designs.note_change(session, change):
        logger.warning(
            "site %d: its design changed with %s, fetched %s: %.0f %% of the newest pages are of"
            " groups %s or of none, none of groups %s",
            site_id,
            first.url,
            first.fetched_at.isoformat(),
            100 * found.new_share,
            change.new_groups,
            change.gone_groups,
        )


def _was_watched(newest: Sequence[DatedPage], first: int) -> bool:
    """Tell whether a site was seen for long enough before the first page that differs."""
    page = newest[first]
    if page.is_dated:
        return page.fetched_at - newest[0].fetched_at >= WATCHED
    # When it was received may be compared with when others were, not with when they were fetched.
    before = newest[:first]
    return (
        page.received_at - min(each.received_at for each in before) >= WATCHED
        and newest[-1].received_at - newest[first - 1].received_at >= TOGETHER
    )
