"""The outbox: messages are written in the transaction that groups the articles, then published."""

import json
from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Connection, LargeBinary, Row, text

from stories.index import StoryState, story_states, unpack_shingles
from stories.messages import Story, StoryMessage, first_article, message_id, own_story, story_id
from stories.overlap import overlap_of

MAX_MESSAGES: Final = 200
"""Maximum number of articles whose messages are composed or published in one transaction."""

CORRECTION_SECONDS: Final = 60.0
"""Minimum time between the first two corrections of an article; it doubles with each correction."""

MAX_DOUBLINGS: Final = 20  # maximum number of times that the delay of a correction doubles

WITHHELD_RELATIONS: Final = ("same", "excerpt")
"""Relations to a story's first article that may make an article a repeat (see `_is_withheld`)."""

# Articles with a new revision, or whose story may have changed and may be corrected now
_DUE_ARTICLES = text("""
    SELECT page, article_id, revision, number, site, url, language, articles.key, fetched_at, wire,
        is_withdrawn, is_confirmed, is_forwarded, changes, told, story_id, shingles
    FROM stories.articles LEFT JOIN stories.texts ON texts.id = text_id
    WHERE is_due AND (
        number = 0
        OR pending IS NULL AND (correct_after IS NULL OR correct_after <= now())
    )
    ORDER BY number > 0, page LIMIT :most
    FOR UPDATE OF articles
""").columns(key=LargeBinary, shingles=LargeBinary)
_MARK_UP_TO_DATE = text("UPDATE stories.articles SET is_due = false WHERE page = :page")
# Stores a message to publish; each correction doubles the time until the next one.
_SET_PENDING_MESSAGE = text("""
    UPDATE stories.articles SET is_due = false, number = :number, changes = NULL,
        told = CAST(:told AS jsonb), pending = CAST(:pending AS jsonb),
        must_forward = must_forward OR :forward, is_forwarded = is_forwarded OR :forward,
        corrections = corrections + :corrected,
        correct_after = CASE WHEN :corrected > 0 THEN now() + interval '1 second' * :delay
            * power(2, least(corrections, :max_doublings)) ELSE correct_after END
    WHERE page = :page
""")


def compose_due(connection: Connection) -> None:
    """Compose up to `MAX_MESSAGES` messages about new revisions or changed stories of articles.

    The delay before the next correction of an article doubles each time, to bound the number of
    corrections. The stories must be locked.
    """
    rows = connection.execute(_DUE_ARTICLES, {"most": MAX_MESSAGES}).all()
    states = story_states(connection, {row.story_id for row in rows if row.story_id is not None})
    for row in rows:
        _compose(connection, row, states.get(row.story_id))


def _compose(connection: Connection, row: Row[Any], state: StoryState | None) -> None:
    """Compose a message about an article if its revision is new or its story has changed."""
    story = _story(row, state)
    story_json = story.model_dump(mode="json")
    is_new_revision, is_repeat = row.number == 0, _is_withheld(story, row.is_confirmed)
    if not is_new_revision and story_json == row.told:
        connection.execute(_MARK_UP_TO_DATE, {"page": row.page})
        return
    message = StoryMessage(
        **dict(story),
        id=message_id(row.article_id, row.number + 1),
        article=str(row.article_id),
        revision=row.revision,
        number=row.number + 1,
        url=row.url,
        site=row.site,
        language=row.language,
        changes=row.changes,
    )
    is_first_forwarding = not row.is_forwarded and not is_repeat and not row.is_withdrawn
    values = {
        "page": row.page,
        "number": row.number + 1,
        "told": json.dumps(story_json),
        "pending": json.dumps(message.to_json()),
        # A consumer that has received an article must also receive its revisions.
        "forward": is_first_forwarding or (is_new_revision and row.is_forwarded),
        "corrected": 0 if is_new_revision else 1,
        "delay": CORRECTION_SECONDS,
        "max_doublings": MAX_DOUBLINGS,
    }
    connection.execute(_SET_PENDING_MESSAGE, values)


def _story(row: Row[Any], state: StoryState | None) -> Story:
    """Return the story that messages report; a withdrawn article keeps the story last reported."""
    if row.is_withdrawn and row.told is not None:
        return Story.model_validate(row.told)
    own = first_article(row.url, row.site, row.fetched_at)
    if state is None:
        return own_story(row.key, False, own, row.wire)
    identity = story_id(state.leader.key)
    if state.page is None or state.page == row.page or state.url is None or state.site is None:
        return Story(story=identity, relation=None, similarity=None, first=own, wire=row.wire)
    overlap = overlap_of(unpack_shingles(row.shingles, row.page), state.leader.shingles)
    return Story(
        story=identity,
        relation=overlap.relation,
        similarity=round(overlap.resemblance, 3),
        first=first_article(state.url, state.site, state.fetched_at),
        wire=row.wire,
    )


def _is_withheld(story: Story, is_confirmed: bool) -> bool:
    """Return whether an article repeats its story's first one; excerpts only if confirmed."""
    return story.relation == "same" or (story.relation in WITHHELD_RELATIONS and is_confirmed)


_PENDING = text("""
    SELECT page, article_id, number, site, language, pending, must_forward
    FROM stories.articles WHERE pending IS NOT NULL
    ORDER BY page LIMIT :most
    FOR UPDATE SKIP LOCKED
""")
_PUBLISHED = text("""
    UPDATE stories.articles SET pending = NULL, must_forward = false WHERE page = ANY (:pages)
""")


def lock_pending(connection: Connection) -> list[Row[Any]]:
    """Lock and return up to `MAX_MESSAGES` rows of articles with a message to publish."""
    return list(connection.execute(_PENDING, {"most": MAX_MESSAGES}))


def note_published(connection: Connection, pages: Collection[int]) -> None:
    """Record that the messages about locked articles have been published."""
    connection.execute(_PUBLISHED, {"pages": list(pages)})
