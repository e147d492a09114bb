"""Index of stories in PostgreSQL: grouping of articles, one by one, under a lock.

The number of texts read for an article is limited: a story that has become too large accepts
further texts, but is no longer regrouped.
"""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from sqlalchemy import Connection, LargeBinary, text

from stories.fingerprint import Fingerprint, Shingles, fingerprint_of
from stories.grouping import MAX_UNRELATED_SHARE, StoryText, group_texts
from stories.messages import Article, Changes
from stories.overlap import MIN_WHOLE_SHARE, overlap_of

logger = logging.getLogger(__name__)

MAX_REGROUPED: Final = 50
"""Maximum number of texts that are regrouped for a new text, counting copies once. If the stories
that it may join have more, only the oldest determine which it joins, and no other text moves."""

MAX_BAND_TEXTS: Final = 50
"""Maximum number of texts examined per band of a signature."""

MAX_CANDIDATES: Final = 100
"""Maximum number of texts compared with a new text; those that share the most bands are used."""

MAX_SITES: Final = 100
"""Maximum number of sites stored per text."""

MAX_FIRST_CANDIDATES: Final = 100
"""Maximum number of articles among which the first article of a story is determined."""

MAX_REMOVED_STORIES: Final = 100
MAX_SWEPT_PAGES: Final = 1000
"""Maximum number of old stories removed, and of pages looked up in the store, at a time."""

_NEW: Final = 0
"""ID that represents the new text."""


class KnownText(NamedTuple):
    """A stored text."""

    id: int
    story_id: int
    key: bytes
    sites: list[str]
    received_at: datetime
    shingles: Shingles


class StoryState(NamedTuple):
    """A story: its leader and its first article.

    The leader (see `group_texts`) remains after its last article has changed. The first article is
    then another one or, if there is none left, `page` is None.
    """

    leader: KnownText
    page: int | None
    url: str | None
    site: str | None
    fetched_at: datetime | None


class _Arrival(NamedTuple):
    """An article to be grouped.

    `seen_at` is `fetched_at` or, if that is unknown, the time of extraction. `received_at`, which a
    crawler cannot backdate, determines which of two articles is the first of their story.
    """

    page: int
    site: str
    fingerprint: Fingerprint
    seen_at: datetime
    received_at: datetime


class _Found(NamedTuple):
    """The stored texts like a new one: the identical text, or the others.

    `whole_on` has the sites with a longer text that contains this one.
    """

    same: KnownText | None = None
    others: Sequence[KnownText] = ()
    whole_on: Collection[str] = ()


class _Place(NamedTuple):
    """The place of a new text.

    `state` is that of the story that it joins, or None if it leads a story. If the text was
    received before others of its stories, `groups` has all their texts, and `before` the IDs of the
    texts' stories. A text that is not `is_compared` joins its story without being compared with
    later texts.
    """

    state: StoryState | None = None
    groups: Sequence[Sequence[int]] = ()
    before: Mapping[int, int] = {}
    is_compared: bool = True


_TYPES: Final = {"key": LargeBinary, "shingles": LargeBinary}

_BEFORE = text("""
    SELECT revision, text_id, key, received_at FROM stories.articles WHERE page = :page
""").columns(key=LargeBinary)
_PUT = text("""
    INSERT INTO stories.articles (
        page, article_id, revision, site, url, language, text_id, key, fetched_at, received_at,
        wire, is_withdrawn, is_confirmed, changes
    ) VALUES (
        :page, :article_id, :revision, :site, :url, :language, :text_id, :key, :fetched_at,
        :received_at, :wire, :is_withdrawn, :is_confirmed, CAST(:changes AS jsonb)
    )
    ON CONFLICT (page) DO UPDATE SET (
        article_id, revision, site, url, language, text_id, key, fetched_at, received_at, wire,
        is_withdrawn, is_confirmed, changes, number, is_due
    ) = (
        excluded.article_id, excluded.revision, excluded.site, excluded.url, excluded.language,
        excluded.text_id, excluded.key, excluded.fetched_at, excluded.received_at, excluded.wire,
        excluded.is_withdrawn, excluded.is_confirmed, excluded.changes, 0, true
    )
""")


def group(
    connection: Connection,
    page: int,
    article: Article,
    changes: Changes | None,
    window: timedelta,
) -> bool:
    """Add a revision of a page's article to the story of its text.

    Return False if the revision, or a later one, has been added before. The stories must be locked.
    Articles fetched more than `window` apart are not compared.
    """
    before = connection.execute(_BEFORE, {"page": page}).one_or_none()
    if before is not None and before.revision >= article.revision:
        return False
    fingerprint = fingerprint_of(article.text)
    received_at = article.received_at or article.extracted_at
    former = before.text_id if before is not None else None
    if former is not None and before is not None and before.key == fingerprint.key:
        received_at = min(received_at, before.received_at)
    seen_at = article.fetched_at or article.extracted_at
    arrival = _Arrival(page, article.site, fingerprint, seen_at, received_at)
    stays = fingerprint.is_comparable and article.withdrawn is None
    found = _find(connection, arrival, window) if stays else _Found()
    if former is not None and (found.same is None or found.same.id != former):
        _leave(connection, page, former)
        # The previous text may have been removed with its story.
        found = _find(connection, arrival, window) if stays else _Found()
    place = _place(connection, arrival, found)
    text_id, changed = _put_text(connection, arrival, found, place) if stays else (None, set())
    values = {
        **article.model_dump(include={"revision", "site", "url", "language", "fetched_at", "wire"}),
        "page": page,
        "article_id": article.id,
        "text_id": text_id,
        "key": fingerprint.key,
        "received_at": received_at,
        "wire": article.wire,
        "is_withdrawn": article.withdrawn is not None,
        # If only one other site has a longer text that contains this one, either site may have
        # copied the other.
        "is_confirmed": article.site in found.whole_on or len(found.whole_on) > 1,
        "changes": changes.model_dump_json() if changes is not None else None,
    }
    connection.execute(_PUT, values)
    for story in sorted(_stories_of(connection, text_id) | changed):
        _note_first(connection, story, page, retell=bool(changed))
    return True


_FIRST = text("""
    SELECT page, page IS NOT DISTINCT FROM (
            SELECT first_page FROM stories.stories WHERE id = :story_id
        ) AS is_noted, is_forwarded
    FROM stories.articles JOIN stories.texts ON texts.id = text_id
    WHERE story_id = :story_id AND page IN (
        (SELECT page FROM stories.articles JOIN stories.texts ON texts.id = text_id
         WHERE story_id = :story_id LIMIT :most)
        UNION ALL SELECT first_page FROM stories.stories WHERE id = :story_id
        UNION ALL SELECT CAST(:new_page AS bigint)
    )
    ORDER BY articles.received_at, articles.key, convert_to(site, 'UTF8'), convert_to(url, 'UTF8')
    LIMIT 1
""").bindparams(most=MAX_FIRST_CANDIDATES)
_NOTE_FIRST = text(
    "UPDATE stories.stories SET first_page = :page, changed_at = now() WHERE id = :story_id"
)
_RETELL = text("""
    UPDATE stories.articles SET is_due = true
    FROM stories.texts WHERE texts.id = text_id AND story_id = :story_id
""")
_STORY_OF = text("SELECT story_id FROM stories.texts WHERE id = :text_id")


def _stories_of(connection: Connection, text_id: int | None) -> set[int]:
    return set(connection.execute(_STORY_OF, {"text_id": text_id}).scalars())


def _note_first(connection: Connection, story: int, page: int, *, retell: bool) -> None:
    """Record the first article of a story that a page's article has joined or left.

    If it differs from the recorded one, or with `retell`, all articles of the story become due.
    """
    first = connection.execute(_FIRST, {"story_id": story, "new_page": page}).one_or_none()
    if first is None:
        return
    connection.execute(_NOTE_FIRST, {"story_id": story, "page": first.page})
    if retell or not first.is_noted:
        connection.execute(_RETELL, {"story_id": story})


def _leave(connection: Connection, page: int, text_id: int) -> None:
    """Detach an article from its text, which remains, so that no other article's story changes.

    If the article was the first of its story, the next one is recorded as such; if that one was
    held back as a repeat, it is due. A story without articles is removed.
    """
    connection.execute(
        text("UPDATE stories.articles SET text_id = NULL WHERE page = :page"), {"page": page}
    )
    for story in _stories_of(connection, text_id):
        first = connection.execute(_FIRST, {"story_id": story, "new_page": None}).one_or_none()
        if first is None:
            connection.execute(
                text("DELETE FROM stories.stories WHERE id = :story_id"), {"story_id": story}
            )
        elif not first.is_noted:
            connection.execute(_NOTE_FIRST, {"story_id": story, "page": first.page})
            if not first.is_forwarded:
                connection.execute(
                    text("UPDATE stories.articles SET is_due = true WHERE page = :page"),
                    {"page": first.page},
                )


_SAME = text("""
    SELECT id, story_id, key, sites, received_at, shingles FROM stories.texts
    WHERE key = :key AND seen_from <= :seen_at + :window AND seen_to >= :seen_at - :window
    ORDER BY id LIMIT 1
""").columns(**_TYPES)
_LIKE = text("""
    SELECT id, story_id, key, sites, received_at, shingles
    FROM stories.texts JOIN (
        -- Band by band, since the planner overestimates an array overlap and reads all texts.
        SELECT with_band.id, count(*) AS shared
        FROM unnest(CAST(:bands AS integer[])) AS own (band) CROSS JOIN LATERAL (
            SELECT id, key FROM stories.texts
            WHERE bands @> ARRAY[own.band]
                AND seen_from <= :seen_at + :window AND seen_to >= :seen_at - :window
            LIMIT :max_of_band
        ) AS with_band
        GROUP BY with_band.id, with_band.key
        ORDER BY shared DESC, with_band.key LIMIT :max_candidates
    ) AS nearest USING (id)
    ORDER BY shared DESC, key
""").columns(**_TYPES)


def _find(connection: Connection, arrival: _Arrival, window: timedelta) -> _Found:
    """Return the stored texts that an article's text may repeat."""
    wanted = {"key": arrival.fingerprint.key, "seen_at": arrival.seen_at, "window": window}
    same = connection.execute(_SAME, wanted).one_or_none()
    if same is not None:
        return _Found(_known_text(same))
    bounds = {"max_of_band": MAX_BAND_TEXTS, "max_candidates": MAX_CANDIDATES}
    bands = {"bands": arrival.fingerprint.bands.tolist()}
    like: list[KnownText] = []
    whole_on: set[str] = set()
    for other in map(_known_text, connection.execute(_LIKE, {**wanted, **bounds, **bands})):
        overlap = overlap_of(arrival.fingerprint.shingles, other.shingles)
        if overlap.common >= MAX_UNRELATED_SHARE * min(overlap.own, overlap.other):
            like.append(other)
        if overlap.own < overlap.other and overlap.common >= MIN_WHOLE_SHARE * overlap.own:
            whole_on.update(other.sites)
    return _Found(None, like, whole_on)


def _known_text(row: Iterable[Any]) -> KnownText:
    *values, shingles = row
    return KnownText._make([*values, unpacked(shingles, values[0])])


def unpacked(stored: bytes, text_id: int) -> Shingles:
    """Return stored shingles as an array, which is empty if they are damaged."""
    shingles = np.frombuffer(stored[: len(stored) // 4 * 4], dtype="<u4")
    if len(stored) % 4 or (shingles[1:] <= shingles[:-1]).any():
        logger.error(
            "the shingles of text %d are damaged: it is not compared with other texts", text_id
        )
        return np.empty(0, np.uint32)
    return shingles.astype(np.uint32, copy=False)


_STATES = text("""
    SELECT leader.id, stories.id AS story_id, leader.key, leader.sites, leader.received_at,
        leader.shingles, first.page, first.url, first.site, first.fetched_at
    FROM stories.stories JOIN LATERAL (
        SELECT * FROM stories.texts WHERE story_id = stories.id ORDER BY received_at, key LIMIT 1
    ) AS leader ON true LEFT JOIN LATERAL (
        SELECT page, url, site, fetched_at
        FROM stories.articles JOIN stories.texts ON texts.id = text_id
        WHERE page = first_page AND story_id = stories.id
    ) AS first ON true
    WHERE stories.id = ANY (CAST(:ids AS bigint[]))
""").columns(**_TYPES)
_TEXTS_OF_STORIES = text("""
    SELECT oldest.id, story_id, key, sites, received_at, shingles
    FROM unnest(CAST(:ids AS bigint[])) AS story (id) CROSS JOIN LATERAL (
        SELECT * FROM stories.texts WHERE story_id = story.id ORDER BY received_at, key LIMIT :most
    ) AS oldest
    ORDER BY received_at, key LIMIT :most
""").columns(**_TYPES)


def story_states(connection: Connection, ids: Collection[int]) -> dict[int, StoryState]:
    """Return the states of stories by ID."""
    if not ids:
        return {}
    rows = connection.execute(_STATES, {"ids": sorted(ids)})
    return {row.story_id: StoryState(_known_text(row[:6]), *row[6:]) for row in rows}


def _place(connection: Connection, arrival: _Arrival, found: _Found) -> _Place:
    """Return the place of an article's text among the stories of the texts found."""
    like = [found.same] if found.same is not None else found.others
    states = story_states(connection, {each.story_id for each in like})
    own, fingerprint = found.same, arrival.fingerprint
    if own is not None and own.received_at <= arrival.received_at:
        return _Place(states.get(own.story_id))
    order = (arrival.received_at, fingerprint.key)
    if all((each.received_at, each.key) < order for each in like):
        states = {story: each for story, each in states.items() if _repeats(arrival, each.leader)}
    if not states:
        return _Place()
    leaders = {each.leader.id: story for story, each in states.items()}
    params = {"ids": sorted(states), "most": MAX_REGROUPED + 1}
    texts = [*map(_known_text, connection.execute(_TEXTS_OF_STORIES, params))]
    is_compared = len(texts) <= MAX_REGROUPED
    if not is_compared:
        texts = [*texts[:MAX_REGROUPED], *(each.leader for each in states.values())]
    shingles = {each.id: each.shingles for each in texts}
    all_texts = {
        each.id: StoryText(each.key, len(each.shingles), each.sites[0], each.received_at)
        for each in texts
    }
    new = own.id if own is not None else _NEW
    shingles[new] = fingerprint.shingles
    length = len(fingerprint.shingles)
    all_texts[new] = StoryText(fingerprint.key, length, arrival.site, arrival.received_at)
    groups = group_texts(all_texts, _common_of(shingles))
    (own_group,) = (each for each in groups.values() if new in each)
    known_leaders = [each for each in own_group if each in leaders]
    if not is_compared:
        # An earlier text leads the story from now on, without its other texts being compared.
        state = states[leaders[known_leaders[0]]] if known_leaders else None
        return _Place(state, is_compared=state is None)
    state = states[leaders[own_group[0]]] if own_group[0] in leaders else None
    before = {each.id: each.story_id for each in texts}
    kept = {frozenset(each) - {_NEW} for each in groups.values()} - {frozenset()}
    is_moved = kept != {
        frozenset(each for each, its in before.items() if its == story) for story in states
    }
    leads_others = state is None and len(own_group) > 1
    return _Place(state, list(groups.values()) if is_moved or leads_others else (), before)


def _repeats(arrival: _Arrival, leader: KnownText) -> bool:
    overlap = overlap_of(arrival.fingerprint.shingles, leader.shingles)
    return overlap.is_repeat(on_one_site=leader.sites[0] == arrival.site)


def _common_of(shingles: Mapping[int, Shingles]) -> Callable[[int, int], int]:
    @cache
    def common(lower: int, higher: int) -> int:
        return overlap_of(shingles[lower], shingles[higher]).common

    return lambda one, other: common(min(one, other), max(one, other))


_ADD_STORY = text("INSERT INTO stories.stories (first_page) VALUES (:page) RETURNING id")
_ADD_TEXT = text("""
    INSERT INTO stories.texts (
        story_id, key, shingles, bands, sites, seen_from, seen_to, received_at
    ) VALUES (:story_id, :key, :shingles, :bands, :sites, :seen_at, :seen_at, :received_at)
    RETURNING id
""")
_TOUCH_TEXT = text("""
    UPDATE stories.texts SET sites = :sites, seen_from = least(seen_from, :seen_at),
        seen_to = greatest(seen_to, :seen_at), received_at = least(received_at, :received_at)
    WHERE id = :text_id
""")


def _put_text(
    connection: Connection, arrival: _Arrival, found: _Found, place: _Place
) -> tuple[int, set[int]]:
    """Add an article's text to its story; return its ID, and the stories whose texts moved."""
    same, fingerprint = found.same, arrival.fingerprint
    if place.state is not None:
        story = place.state.leader.story_id
    elif same is not None:
        story = same.story_id
    else:
        story = connection.execute(_ADD_STORY, {"page": arrival.page}).scalar_one()
    times = {"seen_at": arrival.seen_at, "received_at": arrival.received_at}
    if same is not None:
        sites = [same.sites[0], arrival.site, *same.sites[1:]]
        if arrival.received_at < same.received_at:
            sites = [arrival.site, *same.sites]
        text_id = same.id
        sites = list(dict.fromkeys(sites))[:MAX_SITES]
        connection.execute(_TOUCH_TEXT, {"text_id": text_id, "sites": sites, **times})
    else:
        values = {
            "story_id": story,
            "key": fingerprint.key,
            "shingles": fingerprint.shingles.astype("<u4").tobytes(),
            "bands": fingerprint.bands.tolist() if place.is_compared else [],
            "sites": [arrival.site],
        }
        text_id = connection.execute(_ADD_TEXT, {**values, **times}).scalar_one()
    return text_id, _move(connection, place, text_id, story)


_MOVE = text("UPDATE stories.texts SET story_id = :story_id WHERE id = ANY (:ids)")
_REMOVE_EMPTY = text("""
    DELETE FROM stories.stories WHERE id = ANY (:ids)
        AND NOT EXISTS (SELECT FROM stories.texts WHERE story_id = stories.id)
""")


def _move(connection: Connection, place: _Place, text_id: int, story: int) -> set[int]:
    """Give each group the most common story of its texts that no larger group has claimed.

    Return the stories that gained or lost texts.
    """
    before = {**place.before, text_id: story}
    groups = [[text_id if each == _NEW else each for each in group] for group in place.groups]
    changed: set[int] = set()
    taken: set[int] = set()
    for texts in sorted(groups, key=lambda each: (-len(each), min(each))):
        own = Counter(before[each] for each in texts if before[each] not in taken)
        if own:
            story = min(own, key=lambda each: (-own[each], each))
        else:
            story = connection.execute(_ADD_STORY, {"page": None}).scalar_one()
        taken.add(story)
        if moved := {each for each in texts if before[each] != story}:
            connection.execute(_MOVE, {"ids": sorted(moved), "story_id": story})
            changed |= {story, *(before[each] for each in moved)}
    if changed:
        connection.execute(_REMOVE_EMPTY, {"ids": sorted(changed)})
    return changed


_REMOVE_OLD = text("""
    DELETE FROM stories.stories WHERE id IN (
        SELECT id FROM stories.stories WHERE changed_at <= now() - :window
        ORDER BY changed_at LIMIT :most
    )
""")
_SWEEP = text("""
    SELECT page, text_id, pages.id IS NOT NULL AS is_stored
    FROM (
        SELECT page, text_id FROM stories.articles WHERE page > :after ORDER BY page LIMIT :most
    ) AS found LEFT JOIN public.pages ON pages.id = page
    ORDER BY page
""")


def remove_old(connection: Connection, window: timedelta) -> None:
    """Delete stories with no new article within ``window``, and their texts.

    The records of what was published about their articles remain. The stories must be locked.
    """
    connection.execute(_REMOVE_OLD, {"window": window, "most": MAX_REMOVED_STORIES})


def sweep(connection: Connection, after: int) -> int:
    """Remove articles of deleted pages; return the last page looked up, or 0 at the end.

    The stories must be locked.
    """
    rows = connection.execute(_SWEEP, {"after": after, "most": MAX_SWEPT_PAGES}).all()
    for page, text_id, is_stored in rows:
        if not is_stored:
            if text_id is not None:
                _leave(connection, page, text_id)
            connection.execute(
                text("DELETE FROM stories.articles WHERE page = :page"), {"page": page}
            )
    return rows[-1].page if len(rows) == MAX_SWEPT_PAGES else 0
