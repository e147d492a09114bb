"""Correction of published articles whose story has changed, and removal of old stories."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from detourage.messages import ArticleMessage, Story
from worker.messaging.task_names import CORRECTION_SECONDS
from worker.store import addresses, articles, stories, story_articles
from worker.workflow.article_message import further_revision, next_number
from worker.workflow.outgoing_articles import revision_of, save_with_story
from worker.workflow.process import ProcessState
from worker.workflow.stories import WORK_SECONDS

CORRECTIONS: Final = 500
"""Maximum number of articles corrected per task."""

REMOVED_AT_ONCE: Final = 25
"""Maximum number of texts of old stories removed per transaction; the transaction blocks
grouping."""

REMOVALS: Final = 40
"""Maximum number of removal transactions per task."""


def correct_waiting(state: ProcessState) -> None:
    """Republish articles whose story has changed; remove expired stories."""
    ends = time.monotonic() + WORK_SECONDS
    for page_id in state.database.run(
        lambda session: story_articles.pages_to_correct(session, CORRECTIONS)
    ):
        state.database.run(lambda session: correct(session, state, page_id))  # noqa: B023
        if time.monotonic() > ends:
            break
    for _ in range(REMOVALS):
        if not state.database.run(lambda session: _remove_old_stories(session, state)):
            break


def _remove_old_stories(session: Session, state: ProcessState) -> int:
    stories.lock_stories(session)
    return stories.remove_old_stories(session, state.story_window, REMOVED_AT_ONCE)


def correct(session: Session, state: ProcessState, page_id: int) -> None:
    """Publish a revision of a page's article with its current story, if it needs one."""
    found = story_articles.lock_correction(session, page_id)
    if found is None:
        return
    send_again(
        session,
        state,
        page_id,
        found.message,
        found.content_digest,
        may_hold_back=found.is_held_back,
        story=Story.model_validate(found.told),
    )


def send_again(
    session: Session,
    state: ProcessState,
    page_id: int,
    last: Mapping[str, Any],
    content_digest: str,
    *,
    may_hold_back: bool,
    **changes: Any,
) -> None:
    """Publish a revision of a page's article that differs only in `changes`.

    The page must be locked. `last` is the message of the latest revision, and `content_digest` the
    `Article.content_digest` of the new one.
    """
    leading = addresses.of_pages(session, [page_id])[page_id]
    message = further_revision(
        ArticleMessage.model_validate(last),
        next_number(last["revision"], state.settings.revisions_from),
        datetime.now(UTC),
        leading,
        **changes,
    ).to_json()
    articles.note_revision(session, page_id, message["revision"])
    revision = revision_of(state, page_id, message, content_digest, may_hold_back=may_hold_back)
    save_with_story(session, revision)
    story_articles.note_correction(session, page_id, CORRECTION_SECONDS)
