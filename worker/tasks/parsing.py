"""From the HTML to the stored page and its tree."""

import logging
from dataclasses import dataclass

from sqlalchemy.orm import Session

from models.tables import StoredPage
from worker.content import comment_pattern_of
from worker.pages import Page, PageError, parse_page
from worker.store import outbox, pages, templates, trees
from worker.store.pages import FetchedPage, RecordResult
from worker.tasks import names

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ParsedPage:
    """What parsing tells of a page.

    Parameters
    ----------
    page
        The page.
    comment_pattern
        Where its comments stand, see `StoredPage.comment_pattern`.
    """

    page: Page
    comment_pattern: str


def parse_or_reject(
    content: bytes | str, url: str, content_type: str | None
) -> ParsedPage | PageError:
    """Parse a page; what cannot be parsed comes back as the error that says why."""
    try:
        page = parse_page(content, url, content_type=content_type)
        return ParsedPage(page, comment_pattern_of(page).to_json())
    except PageError as error:
        return error
    except Exception as error:
        logger.exception("parsing failed on %s", url)
        return ParsingFailedError(f"{type(error).__name__}: {error}")


class ParsingFailedError(PageError):
    """The parser has a defect that this page shows; its HTML is kept for a later version."""

    outcome = "failed"


def save_parsed(session: Session, page: StoredPage, parsed: ParsedPage | PageError) -> None:
    """Write what parsing gave: the tree, or the outcome of a refusal."""
    if isinstance(parsed, PageError):
        page.tree_id = None
        page.encoding = None
        page.comment_pattern = None
        page.outcome = parsed.outcome
        page.outcome_detail = str(parsed)
        page.forced = False
        return
    page.tree_id = trees.save_tree(session, parsed.page.tree)
    page.encoding = parsed.page.encoding
    page.comment_pattern = parsed.comment_pattern
    page.outcome = None
    page.outcome_detail = None


def store_page(
    session: Session, fetched: FetchedPage, parsed: ParsedPage | PageError
) -> tuple[StoredPage, RecordResult]:
    """Store a page that came in, and have it assigned where its site has groups already."""
    site_id = pages.lock_site(session, fetched.site)
    page, result = pages.record_page(session, site_id, fetched)
    if result in ("accepted", "updated"):
        save_parsed(session, page, parsed)
        version = pages.touch_site(session, site_id)
        if page.tree_id is not None and templates.last_generation(session, site_id):
            wanted = {"page_id": page.id, "site_version": version}
            outbox.add_tasks(session, names.ASSIGN, [wanted], site_id=site_id)
    return page, result
