"""Incremental grouping of articles into stories, whose texts are stored and indexed in PostgreSQL.

Articles are grouped one by one, under a lock. The number of texts read for an article is limited: a
story that has become too large accepts further texts, but is no longer regrouped.
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
that the new text may join have more texts, it is grouped only with their oldest ones, and no other
text moves to another story."""

MAX_BAND_TEXTS: Final = 50
"""Maximum number of texts examined per band of a signature."""

MAX_CANDIDATES: Final = 100
"""Maximum number of texts compared with a new text: those that share the most bands with it."""

MAX_SITES: Final = 100
"""Maximum number of sites stored per text."""

MAX_FIRST_CANDIDATES: Final = 100
"""Maximum number of articles among which the first article of a story is determined."""

MAX_REMOVED_STORIES: Final = 100
MAX_SWEPT_PAGES: Final = 1000
"""Maximum number of old stories removed, and of pages looked up in the store, per transaction."""

_NEW_TEXT_ID: Final = 0
"""ID that represents a new text until it is stored."""


class StoredText(NamedTuple):
    """A stored text."""

    id: int
    story_id: int
    key: bytes
    sites: list[str]
    received_at: datetime
    shingles: Shingles


class StoryState(NamedTuple):
    """A story: its leader and its first article, if any.

    The leader (see `group_texts`) stays the same even if its articles have changed or are gone. The
    first article is then another one or, if the story has none, `page` is None.
    """

    leader: StoredText
    page: int | None
    url: str | None
    site: str | None
    fetched_at: datetime | None


class _NewArticle(NamedTuple):
    """An article to be grouped.

    `seen_at` is the time of the fetch or, if that is unknown, of the extraction. `received_at`,
    which a crawler cannot backdate, determines which article is the first of its story.
    """

    page: int
    site: str
    fingerprint: Fingerprint
    seen_at: datetime
    received_at: datetime


class _SimilarTexts(NamedTuple):
    """The stored texts that a new text may repeat: the `same` text or, if there is none, `others`.

    `containing_sites` are the sites with a longer text that contains the new one.
    """

    same: StoredText | None = None
    others: Sequence[StoredText] = ()
    containing_sites: Collection[str] = ()


class _Placement(NamedTuple):
    """The story of a new text, and the effect of the text on other stories.

    `story` is the one that the text joins, or None if the text leads a story. If a text that is
    grouped late changes other stories, `groups` has the IDs of all their texts by new story, and
    `story_ids` the previous story of each text. Unless `is_indexed`, later texts will not be
    compared with the new text, because its story is too large.
    """

    story: StoryState | None = None
    groups: Sequence[Sequence[int]] = ()
    story_ids: Mapping[int, int] = {}
    is_indexed: bool = True


_TYPES: Final = {"key": LargeBinary, "shingles": LargeBinary}

_PREVIOUS_REVISION = text("""
    SELECT revision, text_id, key, received_at FROM stories.articles WHERE page = :page
""").columns(key=LargeBinary)
_PUT_ARTICLE = text("""
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
    previous = connection.execute(_PREVIOUS_REVISION, {"page": page}).one_or_none()
    if previous is not None and previous.revision >= article.revision:
        return False
    fingerprint = fingerprint_of(article.text)
    received_at = article.received_at or article.extracted_at
    previous_text_id = previous.text_id if previous is not None else None
    if previous_text_id is not None and previous is not None and previous.key == fingerprint.key:
        received_at = min(received_at, previous.received_at)
    seen_at = article.fetched_at or article.extracted_at
    new = _NewArticle(page, article.site, fingerprint, seen_at, received_at)
    has_story = fingerprint.is_comparable and article.withdrawn is None
    similar = _find_similar(connection, new, window) if has_story else _SimilarTexts()
    if previous_text_id is not None and (
        similar.same is None or similar.same.id != previous_text_id
    ):
        _leave(connection, page, previous_text_id)
        # The previous text may have been removed with its story.
        similar = _find_similar(connection, new, window) if has_story else _SimilarTexts()
    placement = _placement(connection, new, similar)
    text_id, changed_stories = (
        _put_text(connection, new, similar, placement) if has_story else (None, set())
    )
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
        "is_confirmed": article.site in similar.containing_sites
        or len(similar.containing_sites) > 1,
        "changes": changes.model_dump_json() if changes is not None else None,
    }
    connection.execute(_PUT_ARTICLE, values)
    for story in sorted(_stories_of(connection, text_id) | changed_stories):
        _record_first(connection, story, page, are_all_due=bool(changed_stories))
    return True


# The earliest of a story's recorded first article, a new one, and `most` others of the story
_FIRST_ARTICLE = text("""
    SELECT page, page IS NOT DISTINCT FROM (
            SELECT first_page FROM stories.stories WHERE id = :story_id
        ) AS is_recorded, is_forwarded
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
_RECORD_FIRST = text(
    "UPDATE stories.stories SET first_page = :page, changed_at = now() WHERE id = :story_id"
)
_MAKE_ALL_DUE = text("""
    UPDATE stories.articles SET is_due = true
    FROM stories.texts WHERE texts.id = text_id AND story_id = :story_id
""")
_STORY_OF = text("SELECT story_id FROM stories.texts WHERE id = :text_id")


def _stories_of(connection: Connection, text_id: int | None) -> set[int]:
    return set(connection.execute(_STORY_OF, {"text_id": text_id}).scalars())


def _record_first(connection: Connection, story: int, page: int, *, are_all_due: bool) -> None:
    """Record which article is the first of a story, after a page's article has joined it.

    If this is not the article recorded before, or with `are_all_due`, all articles of the story
    become due for another message.
    """
    first = connection.execute(_FIRST_ARTICLE, {"story_id": story, "new_page": page}).one_or_none()
    if first is None:
        return
    connection.execute(_RECORD_FIRST, {"story_id": story, "page": first.page})
    if are_all_due or not first.is_recorded:
        connection.execute(_MAKE_ALL_DUE, {"story_id": story})


def _leave(connection: Connection, page: int, text_id: int) -> None:
    """Detach an article from its text.

    The text remains, so that no other article's story changes. If the article was the first of its
    story, the next one is recorded as such, and is due unless it has been forwarded. A story
    without articles is removed.
    """
    connection.execute(
        text("UPDATE stories.articles SET text_id = NULL WHERE page = :page"), {"page": page}
    )
    for story in _stories_of(connection, text_id):
        first = connection.execute(
            _FIRST_ARTICLE, {"story_id": story, "new_page": None}
        ).one_or_none()
        if first is None:
            connection.execute(
                text("DELETE FROM stories.stories WHERE id = :story_id"), {"story_id": story}
            )
        elif not first.is_recorded:
            connection.execute(_RECORD_FIRST, {"story_id": story, "page": first.page})
            if not first.is_forwarded:
                connection.execute(
                    text("UPDATE stories.articles SET is_due = true WHERE page = :page"),
                    {"page": first.page},
                )


# The stored text that equals a new one, and was seen at most a window earlier or later
_SAME_TEXT = text("""
    SELECT id, story_id, key, sites, received_at, shingles FROM stories.texts
    WHERE key = :key AND seen_from <= :seen_at + :window AND seen_to >= :seen_at - :window
    ORDER BY id LIMIT 1
""").columns(**_TYPES)
# The stored texts that share the most bands with a new one
_TEXTS_WITH_SHARED_BANDS = text("""
    SELECT id, story_id, key, sites, received_at, shingles
    FROM stories.texts JOIN (
        -- Band by band, since the planner overestimates array overlaps and would read all texts.
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


def _find_similar(connection: Connection, new: _NewArticle, window: timedelta) -> _SimilarTexts:
    """Return the stored texts that an article's text may repeat."""
    parameters = {"key": new.fingerprint.key, "seen_at": new.seen_at, "window": window}
    same = connection.execute(_SAME_TEXT, parameters).one_or_none()
    if same is not None:
        return _SimilarTexts(_stored_text(same))
    limits = {"max_of_band": MAX_BAND_TEXTS, "max_candidates": MAX_CANDIDATES}
    bands = {"bands": new.fingerprint.bands.tolist()}
    rows = connection.execute(_TEXTS_WITH_SHARED_BANDS, {**parameters, **limits, **bands})
    others: list[StoredText] = []
    containing_sites: set[str] = set()
    for other in map(_stored_text, rows):
        overlap = overlap_of(new.fingerprint.shingles, other.shingles)
        if overlap.common >= MAX_UNRELATED_SHARE * min(overlap.own, overlap.other):
            others.append(other)
        if overlap.own < overlap.other and overlap.common >= MIN_WHOLE_SHARE * overlap.own:
            containing_sites.update(other.sites)
    return _SimilarTexts(None, others, containing_sites)


def _stored_text(row: Iterable[Any]) -> StoredText:
    text_id, *values, shingles = row
    return StoredText._make([text_id, *values, unpack_shingles(shingles, text_id)])


def unpack_shingles(stored: bytes, text_id: int) -> Shingles:
    """Return stored shingles as an array, or an empty array if they are damaged."""
    shingles = np.frombuffer(stored[: len(stored) // 4 * 4], dtype="<u4")
    if len(stored) % 4 or (shingles[1:] <= shingles[:-1]).any():
        logger.error(
            "the shingles of text %d are damaged: it is not compared with other texts", text_id
        )
        return np.empty(0, np.uint32)
    return shingles.astype(np.uint32, copy=False)


# The leader of each story, and its first article if that still belongs to the story
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
# The oldest texts of stories
_TEXTS_OF_STORIES = text("""
    SELECT oldest.id, story_id, key, sites, received_at, shingles
    FROM unnest(CAST(:ids AS bigint[])) AS story (id) CROSS JOIN LATERAL (
        SELECT * FROM stories.texts WHERE story_id = story.id ORDER BY received_at, key LIMIT :most
    ) AS oldest
    ORDER BY received_at, key LIMIT :most
""").columns(**_TYPES)


def story_states(connection: Connection, ids: Collection[int]) -> dict[int, StoryState]:
    """Return the states of the stories with the given IDs, by ID; missing ones are omitted."""
    if not ids:
        return {}
    rows = connection.execute(_STATES, {"ids": sorted(ids)})
    return {row.story_id: StoryState(_stored_text(row[:6]), *row[6:]) for row in rows}


def _placement(connection: Connection, new: _NewArticle, similar: _SimilarTexts) -> _Placement:
    """Return the placement of an article's text among the stories of similar texts."""
    texts = [similar.same] if similar.same is not None else similar.others
    states = story_states(connection, {each.story_id for each in texts})
    same, fingerprint = similar.same, new.fingerprint
    if same is not None and same.received_at <= new.received_at:
        return _Placement(states.get(same.story_id))
    order = (new.received_at, fingerprint.key)
    if all((each.received_at, each.key) < order for each in texts):
        # The text is the latest one: it can only join a story whose leader it repeats.
        states = {story: each for story, each in states.items() if _repeats(new, each.leader)}
    if not states:
        return _Placement()
    story_by_leader = {each.leader.id: story for story, each in states.items()}
    parameters = {"ids": sorted(states), "most": MAX_REGROUPED + 1}
    members = [*map(_stored_text, connection.execute(_TEXTS_OF_STORIES, parameters))]
    are_all_grouped = len(members) <= MAX_REGROUPED
    if not are_all_grouped:
        members = [*members[:MAX_REGROUPED], *(each.leader for each in states.values())]
    shingles = {each.id: each.shingles for each in members}
    story_texts = {
        each.id: StoryText(each.key, len(each.shingles), each.sites[0], each.received_at)
        for each in members
    }
    new_id = same.id if same is not None else _NEW_TEXT_ID
    shingles[new_id] = fingerprint.shingles
    length = len(fingerprint.shingles)
    story_texts[new_id] = StoryText(fingerprint.key, length, new.site, new.received_at)
    groups = group_texts(story_texts, _common_counts(shingles))
    (own_group,) = (each for each in groups.values() if new_id in each)
    if not are_all_grouped:
        # The text joins the story of an old leader in its group. If it was received before that
        # leader, it leads the story from now on, but is not compared with the story's other texts.
        leaders = [each for each in own_group if each in story_by_leader]
        state = states[story_by_leader[leaders[0]]] if leaders else None
        return _Placement(state, is_indexed=state is None)
    leader = own_group[0]
    state = states[story_by_leader[leader]] if leader in story_by_leader else None
    story_ids = {each.id: each.story_id for each in members}
    old_sets = {
        frozenset(text_id for text_id, story_id in story_ids.items() if story_id == story)
        for story in states
    }
    new_sets = {frozenset(each) - {_NEW_TEXT_ID} for each in groups.values()} - {frozenset()}
    leads_others = state is None and len(own_group) > 1
    is_regrouped = new_sets != old_sets or leads_others
    return _Placement(state, list(groups.values()) if is_regrouped else (), story_ids)


def _repeats(new: _NewArticle, leader: StoredText) -> bool:
    overlap = overlap_of(new.fingerprint.shingles, leader.shingles)
    return overlap.is_repeat(on_one_site=leader.sites[0] == new.site)


def _common_counts(shingles: Mapping[int, Shingles]) -> Callable[[int, int], int]:
    """Return a cached function that counts the shingles that two texts, given by ID, share."""

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
_EXTEND_TEXT = text("""
    UPDATE stories.texts SET sites = :sites, seen_from = least(seen_from, :seen_at),
        seen_to = greatest(seen_to, :seen_at), received_at = least(received_at, :received_at)
    WHERE id = :text_id
""")


def _put_text(
    connection: Connection, new: _NewArticle, similar: _SimilarTexts, placement: _Placement
) -> tuple[int, set[int]]:
    """Add an article's text to its story; return the text's ID, and stories changed by moves."""
    same, fingerprint = similar.same, new.fingerprint
    if placement.story is not None:
        story = placement.story.leader.story_id
    elif same is not None:
        story = same.story_id
    else:
        story = connection.execute(_ADD_STORY, {"page": new.page}).scalar_one()
    times = {"seen_at": new.seen_at, "received_at": new.received_at}
    if same is not None:
        sites = [same.sites[0], new.site, *same.sites[1:]]
        if new.received_at < same.received_at:
            sites = [new.site, *same.sites]
        text_id = same.id
        sites = list(dict.fromkeys(sites))[:MAX_SITES]
        connection.execute(_EXTEND_TEXT, {"text_id": text_id, "sites": sites, **times})
    else:
        values = {
            "story_id": story,
            "key": fingerprint.key,
            "shingles": fingerprint.shingles.astype("<u4").tobytes(),
            "bands": fingerprint.bands.tolist() if placement.is_indexed else [],
            "sites": [new.site],
        }
        text_id = connection.execute(_ADD_TEXT, {**values, **times}).scalar_one()
    return text_id, _move_texts(connection, placement, text_id, story)


_MOVE_TEXTS = text("UPDATE stories.texts SET story_id = :story_id WHERE id = ANY (:ids)")
_REMOVE_EMPTY_STORIES = text("""
    DELETE FROM stories.stories WHERE id = ANY (:ids)
        AND NOT EXISTS (SELECT FROM stories.texts WHERE story_id = stories.id)
""")


def _move_texts(
    connection: Connection, placement: _Placement, text_id: int, story: int
) -> set[int]:
    """Move the texts of each group to one story; return the stories that gained or lost texts.

    A group keeps the story that most of its texts were in, unless a larger group has that story. A
    group without a story gets a new one. `text_id` is the new text, which was added to `story`.
    """
    story_ids = {**placement.story_ids, text_id: story}
    groups = [
        [text_id if each == _NEW_TEXT_ID else each for each in group] for group in placement.groups
    ]
    changed: set[int] = set()
    assigned: set[int] = set()
    for texts in sorted(groups, key=lambda each: (-len(each), min(each))):
        counts = Counter(story_ids[each] for each in texts if story_ids[each] not in assigned)
        if counts:
            story = min(counts, key=lambda each: (-counts[each], each))
        else:
            story = connection.execute(_ADD_STORY, {"page": None}).scalar_one()
        assigned.add(story)
        if moved := {each for each in texts if story_ids[each] != story}:
            connection.execute(_MOVE_TEXTS, {"ids": sorted(moved), "story_id": story})
            changed |= {story, *(story_ids[each] for each in moved)}
    if changed:
        connection.execute(_REMOVE_EMPTY_STORIES, {"ids": sorted(changed)})
    return changed


_REMOVE_OLD = text("""
    DELETE FROM stories.stories WHERE id IN (
        SELECT id FROM stories.stories WHERE changed_at <= now() - :window
        ORDER BY changed_at LIMIT :most
    )
""")
_PAGES_OF_ARTICLES = text("""
    SELECT page, text_id, pages.id IS NOT NULL AS is_stored
    FROM (
        SELECT page, text_id FROM stories.articles WHERE page > :after ORDER BY page LIMIT :most
    ) AS found LEFT JOIN public.pages ON pages.id = page
    ORDER BY page
""")


def remove_old(connection: Connection, window: timedelta) -> None:
    """Delete the oldest stories without a new article in the last ``window``, and their texts.

    The rows of the articles remain, as they show what has been published. The stories must be
    locked.
    """
    connection.execute(_REMOVE_OLD, {"window": window, "most": MAX_REMOVED_STORIES})


def sweep(connection: Connection, after: int) -> int:
    """Remove articles whose pages are no longer in the store, beginning after a page.

    Return the last page looked up, from which to continue, or 0 at the end. The stories must be
    locked.
    """
    rows = connection.execute(_PAGES_OF_ARTICLES, {"after": after, "most": MAX_SWEPT_PAGES}).all()
    for page, text_id, is_stored in rows:
        if not is_stored:
            if text_id is not None:
                _leave(connection, page, text_id)
            connection.execute(
                text("DELETE FROM stories.articles WHERE page = :page"), {"page": page}
            )
    return rows[-1].page if len(rows) == MAX_SWEPT_PAGES else 0
