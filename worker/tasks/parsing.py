"""From the stored HTML to the stored tree, with the comparisons that a new tree asks for."""

import logging

from sqlalchemy.orm import Session

from models.tables import StoredPage
from worker.pages import Page, PageError, parse_page
from worker.store import outbox, trees
from worker.tasks import names

logger = logging.getLogger(__name__)

BLOCK_COLUMNS = 64
"""Trees that one comparison task compares a tree with.

A task costs about 4 ms of overhead and a pair of ordinary pages 0.3 to 10 ms, so
that the overhead stays small while a site's comparisons still spread over workers.
"""


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
    """Write what parsing gave: the tree and its comparisons, or the outcome of a refusal.

    The page's site must be locked, so that of two new trees the later sees the earlier.
    """
    if isinstance(parsed, PageError):
        page.tree_id = None
        page.encoding = None
        page.outcome = parsed.outcome
        page.outcome_detail = str(parsed)
        page.forced = False
        return
    tree_id = trees.save_tree(session, parsed.tree)
    others = [other for other in trees.site_tree_ids(session, page.site_id) if other != tree_id]
    page.tree_id = tree_id
    page.encoding = parsed.encoding
    page.outcome = None
    page.outcome_detail = None
    plan_comparisons(session, tree_id, others)


def plan_comparisons(session: Session, tree_id: int, others: list[int]) -> None:
    """Ask for the comparison of a tree with others, in blocks."""
    outbox.add_tasks(
        session,
        names.COMPARE,
        [
            {"tree_id": tree_id, "other_ids": others[start : start + BLOCK_COLUMNS]}
            for start in range(0, len(others), BLOCK_COLUMNS)
        ],
    )
