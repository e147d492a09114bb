"""First articles of sites that have never been clustered, sent without waiting for a clustering."""

import logging
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy.orm import Session

from detourage.text.plural import pluralise
from worker.store import first_extractions
from worker.store.first_extractions import SQL
from worker.workflow.extraction_requests import request_extractions

logger = logging.getLogger(__name__)

ALONE_SECONDS = 5.0
"""Time after which a site's only page is extracted alone; a crawl sends another page sooner."""

WATCHED_SECONDS = 20.0
"""Time after which a page is no longer checked for being the only one of its site, to bound the
cost; it is then extracted when its site settles."""

REQUESTED_AT_ONCE = 200  # maximum number of urgent pages per reason: alone, or overdue


def urgent_pages(session: Session, first_article_seconds: float) -> tuple[dict[int, int], bool]:
    """Return the pages that must not wait for their site's first clustering, with their sites.

    Also return whether any fetch is still waiting although its page already has an outcome.
    """
    limits = {"alone": ALONE_SECONDS, "watched": WATCHED_SECONDS, "limit": REQUESTED_AT_ONCE}
    params = {**limits, "patience": first_article_seconds}
    found: dict[int | None, int] = dict(session.execute(SQL.urgent_pages, params).all())
    is_fetch_waiting = None in found  # a row of NULLs
    return {page: site for page, site in found.items() if page is not None}, is_fetch_waiting


def request_first_extractions(session: Session, site_of: Mapping[int, int]) -> int:
    """Request extractions of `urgent_pages` without a template; return their number."""
    if not site_of:
        return 0
    locked = first_extractions.lock_free_sites(session, sorted(set(site_of.values())))
    waiting = session.scalars(SQL.still_waiting, {"pages": list(site_of), "sites": locked}).all()
    if waiting:
        sites = {site_of[page_id] for page_id in waiting}
        first_extractions.add_pages(session, sorted(sites), waiting)
        request_extractions(session, waiting, first_extractions.NUMBER)
        numbers = pluralise(len(waiting), "page"), pluralise(len(sites), "new site")
        logger.info("extracting %s of %s without waiting for a clustering", *numbers)
    return len(waiting)


def settle_lone_sites(session: Session, site_ids: Sequence[int]) -> Collection[int]:
    """Extract the pages of new sites with at most one comparable page, and return these sites.

    They remain new: their next page waits for the first clustering, which groups both pages.
    """
    lone = session.scalars(SQL.lone_sites, {"sites": list(site_ids)}).all()
    locked = first_extractions.lock_free_sites(session, lone)
    # More pages may have arrived before the lock was acquired.
    lone = session.scalars(SQL.lone_sites, {"sites": locked}).all()
    if not lone:
        return ()
    pages: dict[int, bool] = dict(session.execute(SQL.comparable_pages, {"sites": lone}).all())
    first_extractions.add_pages(session, lone, list(pages))
    unrequested = [page_id for page_id, is_unrequested in pages.items() if is_unrequested]
    request_extractions(session, unrequested, first_extractions.NUMBER)
    first_extractions.mark_seen(session, lone)
    logger.info(
        "not clustering %s with fewer than two comparable pages", pluralise(len(lone), "site")
    )
    return lone
