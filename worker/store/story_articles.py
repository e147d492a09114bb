"""The story of each page's article, and the story entry in the article's latest revision."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import LargeBinary, and_, exists, func, or_, select, text
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session

from models.tables import (
    Article,
    StoredPage,
    Story,
    StoryArrival,
    StoryArticle,
)
from worker.store.database import rows_only
from worker.store.pages import has_article
from worker.store.stories import KnownText, known_text

MAX_COMPARED: Final = 100
"""Maximum number of articles considered when looking for the first article of a story."""

MAX_DOUBLINGS: Final = 20
"""Number of corrections of an article after which the delay no longer doubles."""


class ArticleStory(NamedTuple):
    """The story state of a page's article; see `StoryArticle`."""

    text_id: int | None
    key: bytes
    fetched_at: datetime | None
    received_at: datetime
    wire: str | None
    told: dict[str, Any]
    is_held_back: bool = False


class StoryState(NamedTuple):
    """A story: its leader, its first article, and whether it has the maximum number of texts.

    The leader (see `detourage.duplicates.grouping`) remains after its last article has changed. The
    first article is then another one or, if there is none left, `first_page_id` is None.
    """

    leader: KnownText
    is_full: bool
    first_seen: datetime | None
    first_page_id: int | None
    wire: str | None
    site_key: str | None
    url: str | None


class Retelling(NamedTuple):
    """A story whose articles must be updated because its first article changed; see `Story`."""

    story_id: int
    first_page_id: int | None
    changed_at: datetime
    retold_to: list[int]


_TOLD = text("""
    SELECT page_id, text_id, key, fetched_at, received_at, wire, told, is_held_back
    FROM story_articles WHERE page_id = ANY (CAST(:ids AS bigint[]))
""").columns(key=LargeBinary)


def stories_of_pages(session: Session, page_ids: Collection[int]) -> dict[int, ArticleStory]:
    """Return the story state of the pages' articles, by page ID."""
    rows = session.execute(_TOLD, {"ids": list(page_ids)})
    return {page_id: ArticleStory(*rest) for page_id, *rest in rows}


_FIRST = text("""
    SELECT page_id, page_id = (SELECT first_page_id FROM stories WHERE id = :story_id),
        is_held_back
    FROM story_articles
    JOIN story_texts ON story_texts.id = text_id
    JOIN pages ON pages.id = page_id
    JOIN sites ON sites.id = site_id
    WHERE story_id = :story_id AND page_id IN (
        (SELECT page_id FROM story_articles JOIN story_texts ON story_texts.id = text_id
         WHERE story_id = :story_id LIMIT :most)
        UNION ALL SELECT first_page_id FROM stories WHERE id = :story_id
        UNION ALL SELECT CAST(:new_page AS bigint)
    )
    ORDER BY story_articles.received_at, story_articles.key,
        convert_to(sites.key, 'UTF8'), convert_to(url, 'UTF8')
    LIMIT 1
""").bindparams(most=MAX_COMPARED)
_STATES = text("""
    SELECT leader.id, stories.id, leader.key, leader.sites, leader.received_at, leader.shingles,
        :most = (
            SELECT count(*) FROM (
                SELECT FROM story_texts AS own WHERE own.story_id = stories.id LIMIT :most
            ) AS own
        ),
        CASE WHEN first.page_id IS NULL THEN leader.seen_from ELSE first.fetched_at END,
        first.page_id, first.wire, first.site_key, first.url
    FROM stories JOIN LATERAL (
        SELECT * FROM story_texts WHERE story_id = stories.id ORDER BY received_at, key LIMIT 1
    ) AS leader ON true LEFT JOIN LATERAL (
        SELECT page_id, story_articles.fetched_at, wire, sites.key AS site_key, url
        FROM story_articles
        JOIN story_texts ON story_texts.id = text_id
        JOIN pages ON pages.id = page_id
        JOIN sites ON sites.id = site_id
        WHERE page_id = first_page_id AND story_id = stories.id
    ) AS first ON true
    WHERE stories.id = ANY (CAST(:ids AS bigint[]))
""").columns(key=LargeBinary, shingles=LargeBinary)
_NOTE_CHANGE = text("""
    UPDATE stories SET first_page_id = :first_page_id, changed_at = now(),
        retold_to = CASE WHEN :retell THEN CAST('{0,0}' AS bigint[]) ELSE retold_to END
    WHERE id = :story_id
""")


class FirstArticle(NamedTuple):
    """The first article of a story; `is_noted` is set if it is recorded as the first."""

    page_id: int
    is_noted: bool | None
    is_held_back: bool


def first_of_story(session: Session, story_id: int, page_id: int | None) -> FirstArticle | None:
    """Return the first article of a story, if any.

    Articles are ordered by the time of receipt, text key, site and URL. At most `MAX_COMPARED` are
    considered, plus the recorded first article and the article of ``page_id``, a page that has just
    joined the story.
    """
    asked = {"story_id": story_id, "new_page": page_id}
    row = session.execute(_FIRST, asked).one_or_none()
    return None if row is None else FirstArticle(*row)


def story_states(
    session: Session, story_ids: Collection[int], max_texts: int
) -> dict[int, StoryState]:
    """Return the states of stories by ID; a story is full if it has ``max_texts`` texts or more."""
    if not story_ids:
        return {}
    rows = session.execute(_STATES, {"ids": sorted(story_ids), "most": max_texts})
    return {row[1]: StoryState(known_text(row[:6]), *row[6:]) for row in rows}


def note_change(session: Session, story_id: int, first_page_id: int, *, retell: bool) -> None:
    """Record that a story changed, its first article, and whether to update all its articles."""
    asked = {"story_id": story_id, "first_page_id": first_page_id, "retell": retell}
    session.execute(_NOTE_CHANGE, asked)


_TO_RETELL = rows_only(
    select(Story.id, Story.first_page_id, Story.changed_at, Story.retold_to)
    .where(Story.retold_to.is_not(None))
    .order_by(Story.id)
    .limit(1)
)


_NEXT = text("""
    SELECT of_text.*
    FROM story_texts CROSS JOIN LATERAL (
        SELECT text_id, page_id, wire FROM story_articles
        WHERE text_id = story_texts.id
            AND (story_texts.id > :after_text OR page_id > :after_page)
        ORDER BY page_id LIMIT :most
    ) AS of_text
    WHERE story_id = :story_id AND story_texts.id >= :after_text
    ORDER BY story_texts.id, page_id LIMIT :most
""")
_NOTE_RETOLD = text("""
    UPDATE stories SET retold_to = CAST(:new_retold AS bigint[])
    WHERE id = :story_id AND changed_at = :changed_at
        AND retold_to = CAST(:retold_to AS bigint[])
""")


def story_to_retell(session: Session) -> Retelling | None:
    """Return a story whose articles must be updated because its first article changed."""
    row = session.execute(_TO_RETELL).one_or_none()
    if row is None or row.retold_to is None:
        return None
    return Retelling(row.id, row.first_page_id, row.changed_at, row.retold_to)


def articles_to_retell(
    session: Session, story: Retelling, most: int
) -> list[tuple[int, int, str | None]]:
    """Return the text ID, page ID and news agency of each of the next articles to update."""
    after_text, after_page = story.retold_to
    asked = {
        "story_id": story.story_id,
        "after_text": after_text,
        "after_page": after_page,
        "most": most,
    }
    return [tuple(row) for row in session.execute(_NEXT, asked)]


def note_retold(session: Session, story: Retelling, retold_to: list[int] | None) -> bool:
    """Record the last updated text and page ID, or None at the end; return False if outdated.

    The progress is outdated if the story changed in the meantime.
    """
    noted: Any = session.execute(_NOTE_RETOLD, {**story._asdict(), "new_retold": retold_to})
    return bool(noted.rowcount)


_PUT = rows_only(
    (_PUTTING := upsert(StoryArticle))
    .on_conflict_do_update(
        index_elements=[StoryArticle.page_id],
        set_={
            name: _PUTTING.excluded[name]
            for name in ("text_id", "key", "fetched_at", "received_at", "wire", "told")
        },
    )
    # Without RETURNING, SQLAlchemy sends an upsert once per row.
    .returning(StoryArticle.page_id)
)


def put_articles(session: Session, told: Mapping[int, ArticleStory]) -> None:
    """Record the texts and the current stories of articles, by page ID."""
    if told:
        session.execute(_PUT, _rows(told))


def _rows(told: Mapping[int, ArticleStory]) -> list[dict[str, Any]]:
    return [{"page_id": page_id, **each._asdict()} for page_id, each in sorted(told.items())]


_TELL = text("""
    UPDATE story_articles SET told = CAST(story AS jsonb)
    FROM unnest(CAST(:pages AS bigint[]), CAST(:stories AS text[])) AS given (page_id, story)
    WHERE story_articles.page_id = given.page_id
""")


def tell(session: Session, told: Mapping[int, Mapping[str, Any]]) -> None:
    """Record the current story entries of articles, by page ID."""
    if told:
        session.execute(_TELL, _given(told))


def _given(told: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    return {"pages": list(told), "stories": [json.dumps(each) for each in told.values()]}


_NOTE_SENT = text("""
    UPDATE story_articles SET sent = CAST(story AS jsonb),
        is_held_back = story_articles.page_id = ANY (CAST(:held AS bigint[]))
    FROM unnest(CAST(:pages AS bigint[]), CAST(:stories AS text[])) AS given (page_id, story)
    WHERE story_articles.page_id = given.page_id
""")


def note_sent(
    session: Session, said: Mapping[int, Mapping[str, Any]], held_back: Collection[int]
) -> None:
    """Record the story entries of the latest revisions, and which revisions were held back."""
    session.execute(_NOTE_SENT, {**_given(said), "held": sorted(held_back)})


_NOTE_CORRECTION = text("""
    UPDATE story_articles SET corrections = coalesce(corrections, 0) + 1,
        correct_after = now() + interval '1 second'
            * :period * power(2, least(coalesce(corrections, 0), :max_doublings))
    WHERE page_id = :page_id
""").bindparams(max_doublings=MAX_DOUBLINGS)


def note_correction(session: Session, page_id: int, period_seconds: float) -> None:
    """Record a correction of a page's article, and double the delay before the next one."""
    session.execute(_NOTE_CORRECTION, {"page_id": page_id, "period": period_seconds})


_TAKE_OUT = text("UPDATE story_articles SET text_id = NULL WHERE page_id = :page_id")


def take_out(session: Session, page_id: int) -> None:
    """Detach a page's article from its text."""
    session.execute(_TAKE_OUT, {"page_id": page_id})


_REMOVE = text("DELETE FROM story_articles WHERE page_id = ANY (CAST(:ids AS bigint[]))")


def remove_articles(session: Session, page_ids: Collection[int]) -> None:
    """Delete the story state of pages whose articles are no longer in any story."""
    session.execute(_REMOVE, {"ids": sorted(page_ids)})


_IS_TOLD_OTHERWISE = and_(
    StoryArticle.sent.is_not(None),
    StoryArticle.sent != StoryArticle.told,
    or_(StoryArticle.correct_after.is_(None), StoryArticle.correct_after <= func.now()),
    ~exists().where(StoryArrival.page_id == StoryArticle.page_id),
)
"""Condition: the article's latest revision has an outdated story entry and may be corrected now."""


def pages_to_correct(session: Session, limit: int) -> list[int]:
    """Return the IDs of pages whose latest revision has an outdated story entry, ascending.

    Excluded are pages without a current article, those whose articles are waiting to be grouped,
    and those corrected recently.
    """
    return list(
        session.scalars(
            select(StoryArticle.page_id)
            .join(StoredPage, StoredPage.id == StoryArticle.page_id)
            .where(_IS_TOLD_OTHERWISE, has_article())
            .order_by(StoryArticle.page_id)
            .limit(limit)
        )
    )


class Correction(NamedTuple):
    """The latest revision of a page's article, which has an outdated story entry."""

    message: dict[str, Any]
    content_digest: str
    told: dict[str, Any]
    is_held_back: bool


def lock_correction(session: Session, page_id: int) -> Correction | None:
    """Lock a page and return its due correction, or None if none is due any more."""
    page = session.execute(
        select(StoredPage.revision)
        .where(StoredPage.id == page_id, has_article())
        .with_for_update(of=StoredPage)
    ).one_or_none()
    if page is None:
        return None
    row = session.execute(
        select(
            Article.message,
            Article.content_digest,
            StoryArticle.told,
            StoryArticle.is_held_back,
        )
        .join(StoryArticle, StoryArticle.page_id == Article.page_id)
        .where(
            Article.page_id == page_id,
            Article.revision == page.revision,
            _IS_TOLD_OTHERWISE,
        )
        .with_for_update(of=StoryArticle)
    ).one_or_none()
    return Correction(*row) if row is not None else None
