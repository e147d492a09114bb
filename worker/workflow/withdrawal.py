"""Withdrawal of articles that have been removed by their site."""

from datetime import UTC, datetime
from typing import Final

from sqlalchemy.orm import Session

from detourage.messages import ArticleMessage
from worker.store import addresses, articles
from worker.store.extraction_jobs import PageState
from worker.workflow.article_message import further_revision, next_number
from worker.workflow.outgoing_articles import revision_of, save
from worker.workflow.process import ProcessState

_MARK: Final = "withdrawn "
"""Digest prefix of a withdrawn article, so that the same text counts as new if it returns."""


def is_withdrawn(page: PageState) -> bool:
    """Return whether the latest revision of a page's article withdrew the article."""
    return page.last_digest is not None and page.last_digest.startswith(_MARK)


def is_removed(page: PageState) -> bool:
    """Return whether at least two fetches have found that a page is gone."""
    refused = page.refused or {}
    since = refused.get("gone_since")
    return since is not None and since != refused["fetched_at"]


def withdraw(session: Session, state: ProcessState, page_id: int, page: PageState) -> None:
    """Publish the revision that withdraws a page's article; the page must be locked."""
    assert page.refused is not None
    last, digest = articles.last_article(session, page_id)
    message = further_revision(
        ArticleMessage.model_validate(last),
        next_number(last["revision"], state.settings.revisions_from),
        datetime.now(UTC),
        addresses.of_pages(session, [page_id])[page_id],
        withdrawn=datetime.fromisoformat(page.refused["fetched_at"]),
    ).to_json()
    articles.note_revision(session, page_id, message["revision"])
    save(session, [revision_of(state, page_id, message, f"{_MARK}{digest}")])
