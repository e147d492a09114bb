"""Reprocessing a site, from any stage of the road."""

import logging

from celery import shared_task
from sqlalchemy.orm import Session

from worker.store import comparisons, outbox, pages, references, templates, trees
from worker.tasks import names
from worker.tasks.context import TASK_OPTIONS, database
from worker.tasks.extractions import ask_for_extractions
from worker.tasks.parsing import parse_or_reject, save_parsed

logger = logging.getLogger(__name__)


class UnknownSiteError(LookupError):
    """No page of the site was ever received."""


@shared_task(name=names.REPROCESS, **TASK_OPTIONS)
def reprocess(site: str, stage: names.ReprocessStage = "extract") -> None:
    """Take all pages of a site from a stage on again; each article gets a new revision.

    A page whose HTML was removed keeps its last article.

    Parameters
    ----------
    site
        Key of the site.
    stage
        ``parse`` (from the stored HTML), ``compare``, ``cluster`` or ``extract``.
    """
    if stage not in names.REPROCESS_STAGES:
        raise ValueError(f"stage must be one of {', '.join(names.REPROCESS_STAGES)}, not {stage!r}")
    database().run(lambda session: _reprocess(session, site, stage))


def _reprocess(session: Session, site: str, stage: names.ReprocessStage) -> None:
    if pages.find_site(session, site) is None:
        raise UnknownSiteError(f"no page of site {site!r} is known")
    site_id = pages.lock_site(session, site)
    page_ids = pages.reprocessable_page_ids(session, site_id)
    pages.force_revisions(session, page_ids)
    if stage == "parse":
        outbox.add_tasks(session, names.PARSE, [{"page_id": page_id} for page_id in page_ids])
    elif stage == "compare":
        _forget_comparisons(session, site_id)
        pages.touch_site(session, site_id)
    elif stage == "cluster":
        pages.touch_site(session, site_id)
    else:
        extract_again(session, site_id)


def _forget_comparisons(session: Session, site_id: int) -> None:
    tree_ids = trees.site_tree_ids(session, site_id)
    comparisons.end(session, site_id)
    references.keep_sets(session, site_id, [])
    trees.forget_distances(session, tree_ids)


def extract_again(session: Session, site_id: int) -> None:
    """Ask for the extraction of a site's pages with the groups they have."""
    generation = templates.last_generation(session, site_id)
    ask_for_extractions(
        session, templates.pages_of_generation(session, site_id, generation), generation
    )


@shared_task(name=names.PARSE, **TASK_OPTIONS)
def parse(page_id: int) -> None:
    """Parse a stored page again."""
    database().run(lambda session: _parse(session, page_id))


def _parse(session: Session, page_id: int) -> None:
    page = pages.load_page(session, page_id)
    if page is None:
        return
    pages.lock_site(session, pages.site_key(session, page.site_id))
    session.refresh(page, with_for_update=True)
    content = pages.load_content(session, page_id)
    # A message that comes again after the extraction would take the page up once more.
    if content is None or not (page.forced or page.tree_id is None):
        return
    save_parsed(session, page, parse_or_reject(content, page.url, page.content_type))
    pages.touch_site(session, page.site_id)
