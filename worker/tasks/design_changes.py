"""Noticing that a site looks other than before."""

import logging
from datetime import timedelta

from sqlalchemy.orm import Session

from models.tables import DesignChange
from worker.store import designs
from worker.templates.generations import FEWEST_TO_TELL_A_CHANGE, design_change

logger = logging.getLogger(__name__)

WATCHED = timedelta(days=1)
"""Time that a site was seen before a change of it is reported: a first crawl, which may bring
all section fronts and then all articles, takes hours."""

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
    first = newest[found.first]
    if first.fetched_at - newest[0].fetched_at < WATCHED:
        return
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
