"""Reprocess sites and pages from any stage of the pipeline."""

from sqlalchemy.orm import Session

from detourage.outcomes import PageOutcome
from models.tables import StoredPage
from worker.messaging import task_names
from worker.store import clusterings, comparisons, groups, outbox, pages
from worker.workflow.extraction_requests import request_extractions


def reprocess_site(session: Session, site_id: int, stage: str) -> int:
    """Process the pages of a site again from a given stage, and return their number."""
    pages.lock_site(session, pages.key_of_site(session, site_id))
    page_ids = pages.reprocessable_page_ids(session, site_id)
    session.execute(pages.SQL.force_revisions, {"ids": page_ids})
    if stage != "extract":
        session.execute(clusterings.SQL.delete_attempts, {"site_id": site_id})
    if stage == "parse":
        wanted = [{"page_id": page_id} for page_id in page_ids]
        outbox.add_tasks(session, task_names.PARSE, wanted, site_id=site_id)
    elif stage == "extract":
        generation = groups.site_state(session, site_id).generation
        params = {"site_id": site_id, "generation": generation}
        extracted = session.scalars(groups.SQL.pages_of_generation, params).all()
        request_extractions(session, extracted, generation)
    else:
        if stage == "compare":
            session.execute(comparisons.SQL.delete_comparisons, {"site_id": site_id})
        session.execute(pages.SQL.touch_site, {"site_id": site_id})
    return len(page_ids)


def reprocess_page(session: Session, page_id: int, stage: str) -> bool:
    """Process a page again from a given stage; return False if no HTML is stored for it."""
    page = session.get(StoredPage, page_id)
    if page is None or page.html_removed_at is not None or page.outcome == PageOutcome.JOINED:
        return False
    pages.lock_site(session, pages.key_of_site(session, page.site_id))
    session.refresh(page, with_for_update=True)
    session.execute(pages.SQL.force_revisions, {"ids": [page_id]})
    if stage == "parse" or page.tree_id is None:
        outbox.add_tasks(session, task_names.PARSE, [{"page_id": page_id}], site_id=page.site_id)
    elif page.generation:
        request_extractions(session, [page_id], page.generation)
    return True
