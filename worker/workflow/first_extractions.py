"""First articles of sites that have never been clustered, sent without waiting for a clustering."""

import logging
from collections.abc import Collection, Sequence

from sqlalchemy.orm import Session

from detourage.text.plural import counted
from worker.store import provisional
from worker.workflow.extraction_requests import request_extractions

logger = logging.getLogger(__name__)

ALONE_SECONDS = 5.0
"""Time after which the only page of a site is extracted without a template; a crawl sends a second
page sooner."""

WATCHED_SECONDS = 20.0
"""Time after which a page is no longer checked for being the only one of its site, to bound the
cost; it is then extracted when its site settles."""

REQUESTED_AT_ONCE = 200
"""Maximum number of pages requested together."""


def request_first_extractions(session: Session, first_article_seconds: float) -> int:
    """Request extractions without a template for pages waiting for their site's first clustering.

    A page qualifies if it is the only one of its site, or has waited longer than
    `first_article_seconds` (0 disables both). Return the number of pages. The clustering has them
    extracted again if their group makes a difference.
    """
    if not first_article_seconds:
        return 0
    found = provisional.urgent_pages(
        session,
        alone_seconds=ALONE_SECONDS,
        watched_seconds=WATCHED_SECONDS,
        patience_seconds=first_article_seconds,
        limit=REQUESTED_AT_ONCE,
    )
    if not found:
        return 0
    held = provisional.hold(session, sorted(set(found.values())))
    waiting = provisional.still_waiting(session, list(found), held)
    if waiting:
        page_ids = [page_id for pages in waiting.values() for page_id in pages]
        provisional.place(session, list(waiting), page_ids)
        request_extractions(session, page_ids, provisional.NUMBER)
        numbers = counted(len(page_ids), "page"), counted(len(waiting), "new site")
        logger.info("%s of %s: first articles without a clustering", *numbers)
    return sum(map(len, waiting.values()))


def settle_lone_sites(session: Session, site_ids: Sequence[int]) -> Collection[int]:
    """Mark the given sites that have at most one page as clustered, and return them.

    A single page cannot be compared with anything, and is extracted immediately.
    """
    held = provisional.hold(session, provisional.without_siblings(session, site_ids))
    # More pages may have arrived before the lock was acquired.
    lone = provisional.without_siblings(session, held)
    if not lone:
        return ()
    pages = provisional.comparable_pages(session, lone)
    provisional.place(session, lone, list(pages))
    unrequested = [page_id for page_id, is_unrequested in pages.items() if is_unrequested]
    request_extractions(session, unrequested, provisional.NUMBER)
    provisional.count_as_clustered(session, lone, has_seen_all=True)
    logger.info("no clustering needed, one page at most: %s", counted(len(lone), "site"))
    return lone
