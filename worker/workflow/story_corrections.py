"""Articles whose story is another one since they went out, and what is known of old stories."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy.orm import Session

from models.messages import ArticleMessage, Story
from worker.store import addresses, articles, stories, story_articles
from worker.store.articles import NewArticle
from worker.workflow.article_message import further_revision, next_number
from worker.workflow.outgoing_articles import outgoing_of, send
from worker.workflow.process import ProcessState

CORRECTIONS: Final = 500
"""Articles that one task corrects, some seconds of work; the next task goes on."""

REMOVED_AT_ONCE: Final = 25
"""Texts of old stories that one transaction removes: some milliseconds, in which nobody groups."""

REMOVALS: Final = 40
"""Such transactions of one task."""


def correct_waiting(state: ProcessState) -> None:
    """Send articles again whose story has changed, and remove the stories that are too old."""
    pages = state.database.run(
        lambda session: story_articles.pages_to_correct(session, CORRECTIONS)
    )
    for page_id in pages:
        state.database.run(lambda session: correct(session, state, page_id))  # noqa: B023
    for _ in range(REMOVALS):
        if not state.database.run(lambda session: _remove_old_stories(session, state)):
            break


def _remove_old_stories(session: Session, state: ProcessState) -> int:
    stories.lock_stories(session)
    return stories.remove_old_stories(session, state.story_window, REMOVED_AT_ONCE)


def correct(session: Session, state: ProcessState, page_id: int) -> None:
    """Give a page's article the revision that says what is told of its story now, if it needs one.

    Parameters
    ----------
    session
        The transaction.
    state
        With the settings.
    page_id
        The page.
    """
    found = story_articles.lock_correction(session, page_id)
    if found is None:
        return
    told = Story.model_validate(found.told)
    send_again(
        session,
        state,
        page_id,
        found.message,
        found.content_digest,
        may_hold_back=found.is_held_back,
        story=told,
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
    """Give a page's article, which must be locked, a revision that differs in some keys alone.

    Parameters
    ----------
    session
        The transaction.
    state
        With the settings.
    page_id
        The page.
    last
        Message of the last revision.
    content_digest
        `Article.content_digest` of the new one.
    may_hold_back
        As of `outgoing_of`.
    changes
        The keys that say something else.
    """
    leading = addresses.of_pages(session, [page_id])[page_id]
    message = further_revision(
        ArticleMessage.model_validate(last),
        next_number(last["revision"], state.settings.revisions_from),
        datetime.now(UTC),
        leading,
        **changes,
    ).to_json()
    sent = outgoing_of(
        page_id,
        message,
        repeats=state.settings.repeats,
        topology=state.topology,
        may_hold_back=may_hold_back,
    )
    article = NewArticle(
        id=UUID(message["id"]),
        page_id=page_id,
        revision=message["revision"],
        content_digest=content_digest,
        message=message,
        comments=(),
    )
    articles.save_articles(session, [article])
    story_articles.copy_comments(session, UUID(last["id"]), article.id)
    articles.note_revision(session, page_id, article.revision)
    send(session, [sent])
    period = state.settings.story_correction_seconds
    story_articles.note_correction(session, page_id, period)
