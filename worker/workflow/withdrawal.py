"""Articles that their site has removed."""

from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from models.messages import Story
from worker.store import articles, story_articles
from worker.store.extraction_jobs import PageState
from worker.workflow.process import ProcessState
from worker.workflow.story_corrections import send_again

_MARK: Final = "withdrawn "
"""What the digest of a withdrawn article begins with: the same text that comes back is news."""


def is_withdrawn(page: PageState) -> bool:
    """Tell whether the last revision of a page's article says that it was removed."""
    return page.last_digest is not None and page.last_digest.startswith(_MARK)


def is_removed(page: PageState) -> bool:
    """Tell whether a site says of a page that it is removed, in two fetches or more."""
    refused = page.refused or {}
    since = refused.get("gone_since")
    return since is not None and since != refused["fetched_at"]


def withdraw(session: Session, state: ProcessState, page_id: int, page: PageState) -> None:
    """Send the revision that says of a page's article, stored and locked, that it was removed."""
    assert page.refused is not None
    last, digest = articles.last_article(session, page_id)
    told = story_articles.told_of_pages(session, [page_id]).get(page_id)
    send_again(
        session,
        state,
        page_id,
        last,
        f"{_MARK}{digest}",
        may_hold_back=told is not None and told.is_held_back,
        withdrawn=datetime.fromisoformat(page.refused["fetched_at"]),
        story=Story.model_validate(told.told if told is not None else last["story"]),
    )
