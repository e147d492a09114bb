"""Operators' requests to process a single page again."""

from sqlalchemy.orm import Session

from detourage.outcomes import PageOutcome
from worker.messaging import task_names
from worker.store import outbox, pages
from worker.workflow.extraction_requests import request_extractions


def ask_again(session: Session, page_id: int, stage: str) -> bool:
    """Process a page again from a given stage, as a reprocessing does for all pages of a site.

    The article gets a new revision, after the site's first clustering if that is pending. Return
    False if the page does not exist, its HTML was removed, or it was joined with another page.
    """
    page = pages.load_page(session, page_id)
    if page is None or page.html_removed_at is not None or page.outcome == PageOutcome.JOINED:
        return False
    pages.lock_site(session, pages.key_of_site(session, page.site_id))
    session.refresh(page, with_for_update=True)
    pages.force_revisions(session, [page_id])
    if stage == "parse" or page.tree_id is None:
        wanted = [{"page_id": page_id}]
        outbox.add_tasks(session, task_names.PARSE, wanted, site_id=page.site_id)
    elif page.generation:
        request_extractions(session, {page.site_id: [page_id]}, page.generation)
    return True
