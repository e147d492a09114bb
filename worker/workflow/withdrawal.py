"""Withdrawal of articles that have been removed by their site."""

from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from detourage.messages import Story
from worker.store import articles, story_articles
from worker.store.extraction_jobs import PageState
from worker.workflow.process import ProcessState
from worker.workflow.story_corrections import send_again

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
    story = story_articles.stories_of_pages(session, [page_id]).get(page_id)
    send_again(
        session,
        state,
        page_id,
        last,
        f"{_MARK}{digest}",
        may_hold_back=story is not None and story.is_held_back,
        withdrawn=datetime.fromisoformat(page.refused["fetched_at"]),
        story=Story.model_validate(story.told if story is not None else last["story"]),
    )
