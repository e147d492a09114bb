"""Parse and store incoming pages, and parse stored pages again."""

import logging
from collections.abc import Sequence

from sqlalchemy.orm import Session

from detourage.addresses import read_declared, refusal_of
from detourage.html import PageError, Response, parse_page
from detourage.html.page import NO_RESPONSE
from detourage.outcomes import PageOutcome
from detourage.reader.outline import Outline
from detourage.reader.shared_lines import PageLines
from models.tables import StoredPage
from worker.error_reports import LostContentError
from worker.messaging import task_names
from worker.store import fetched_pages, pages
from worker.store.fetched_pages import RecordedFetch, record_pages, save_parsed
from worker.store.pages import FetchedPage, ParsedPage

logger = logging.getLogger(__name__)

_EMPTY_PAGE = "<p>-</p>"
"""HTML parsed instead of a refusal's unusable HTML; extraction determines the outcome."""


def parse_or_reject(
    content: bytes | str, url: str, content_type: str | None, response: Response = NO_RESPONSE
) -> ParsedPage:
    """Parse a page, or return the reason for failure; ignore the lines and URLs of a refusal."""
    try:
        if refusal_of(url, response) is not None:
            try:
                page = parse_page(content, url, content_type=content_type)
            except PageError:
                page = parse_page(_EMPTY_PAGE, url)
            return ParsedPage(page.tree, page.encoding)
        page = parse_page(content, url, content_type=content_type, response=response)
        try:
            lines = PageLines.of(Outline.of(page.flat)).to_bytes()
            declared = read_declared(page)
            return ParsedPage(page.tree, page.encoding, lines, declared=declared)
        finally:
            # The cached values refer to their page. Such a cycle would keep pages of hundreds of
            # megabytes in memory until the garbage collector runs.
            page.flat.memo.clear()
    except PageError as error:
        return ParsedPage(outcome=error.outcome, outcome_detail=str(error))
    except Exception as error:
        # The page triggers a bug; a later release may be able to parse the stored HTML.
        logger.exception("parsing failed on %s", url)
        detail = f"{type(error).__name__}: {error}"
        return ParsedPage(outcome=PageOutcome.FAILED, outcome_detail=detail)


def store_pages(
    session: Session,
    fetches: Sequence[tuple[FetchedPage, ParsedPage]],
    store_url: str = "",
    *,
    have_waited: bool = False,
) -> list[RecordedFetch]:
    """Store incoming pages, in order, and enqueue assignments for sites that have groups."""
    site_ids = pages.lock_sites(session, (fetched.site for fetched, _ in fetches))
    fetches_on_sites = [(site_ids[fetched.site], fetched, parsed) for fetched, parsed in fetches]
    return record_pages(
        session, fetches_on_sites, store_url, have_waited=have_waited, task=task_names.ASSIGN
    )


def store_waiting_fetch(
    session: Session, fetch_id: int, page: tuple[FetchedPage, ParsedPage], store_url: str = ""
) -> None:
    """Store a fetch that had to wait for an extraction, unless another process has stored it."""
    if fetched_pages.remove_waiting_fetch(session, fetch_id):
        store_pages(session, [page], store_url, have_waited=True)


def parse_again(session: Session, page_id: int) -> None:
    """Parse a stored page again if it has no tree, or if reprocessing was requested."""
    page = session.get(StoredPage, page_id)
    if page is None:
        return
    pages.lock_site(session, pages.key_of_site(session, page.site_id))
    session.refresh(page, with_for_update=True)
    content = pages.load_contents(session, [page_id]).get(page_id)
    if isinstance(content, LostContentError):
        logger.error("cannot parse %s: %s", page.url, content)
    # A message that is redelivered after the extraction must not repeat the work.
    is_awaited = page.forced or page.tree_id is None
    if content is None or not is_awaited or page.outcome == PageOutcome.JOINED:
        return
    if isinstance(content, LostContentError):
        parsed = ParsedPage(outcome=PageOutcome.FAILED, outcome_detail=str(content))
    else:
        parsed = parse_or_reject(content, page.url, page.content_type, Response.of(page.extra))
    save_parsed(session, page, parsed)
    session.execute(pages.SQL.touch_site, {"site_id": page.site_id})
