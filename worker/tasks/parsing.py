"""From the stored HTML to the stored tree."""

import logging

from sqlalchemy.orm import Session

from models.tables import StoredPage
from worker.pages import Page, PageError, parse_page
from worker.store import trees

logger = logging.getLogger(__name__)


def parse_or_reject(content: bytes | str, url: str, content_type: str | None) -> Page | PageError:
    """Parse a page; what cannot be parsed comes back as the error that says why."""
    try:
        return parse_page(content, url, content_type=content_type)
    except PageError as error:
        return error
    except Exception as error:
        logger.exception("parsing failed on %s", url)
        return ParsingFailedError(f"{type(error).__name__}: {error}")


class ParsingFailedError(PageError):
    """The parser has a defect that this page shows; its HTML is kept for a later version."""

    outcome = "failed"


def save_parsed(session: Session, page: StoredPage, parsed: Page | PageError) -> None:
    """Write what parsing gave: the tree, or the outcome of a refusal."""
    if isinstance(parsed, PageError):
        page.tree_id = None
        page.encoding = None
        page.outcome = parsed.outcome
        page.outcome_detail = str(parsed)
        page.forced = False
        return
    page.tree_id = trees.save_tree(session, parsed.tree)
    page.encoding = parsed.encoding
    page.outcome = None
    page.outcome_detail = None
