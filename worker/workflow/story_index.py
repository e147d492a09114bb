"""Index of stories: the provisional story of an article, and its later grouping.

During extraction, the story that an article repeats is looked up without a lock;
`worker.workflow.stories` groups the article later. The number of texts read for this is limited: a
story that has become too large accepts further texts, but is no longer regrouped.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from detourage.duplicates.fingerprint import Shingles
from detourage.duplicates.grouping import APART, StoryText, group_texts
from detourage.duplicates.overlap import WHOLE, overlap_of
from detourage.duplicates.story_entry import first_of, follower_of, id_alone, story_id
from detourage.html import site_name
from detourage.messages import Story
from worker.messaging import task_names
from worker.store import outbox, stories, story_arrivals, story_articles
from worker.store.database import Database
from worker.store.stories import AskedText, KnownText
from worker.store.story_arrivals import Arrival, NewArrival, WaitingArticle
from worker.store.story_articles import ArticleStory, StoryState

MAX_REGROUPED: Final = 50
"""Maximum number of texts that are regrouped for a new text, counting copies once. If the stories
that it may join have more, the oldest alone determine which it joins, and no other text moves."""

RETOLD_AT_ONCE: Final = 25
"""Maximum number of articles updated per transaction after a story's first article has changed."""


class ProvisionalStory(NamedTuple):
    """Provisional story of an article that has not been grouped yet.

    `is_repeat` is set if the article may be held back as a repeat, and `was_held_back` if its
    latest revision was.
    """

    arrival: Arrival
    story: Story
    is_repeat: bool
    was_held_back: bool = False


class _Found(NamedTuple):
    """The texts like a new one, read without the lock: the identical text, or the others.

    `whole_on` has the sites with a longer text that contains this one.
    """

    same: KnownText | None = None
    others: Sequence[KnownText] = ()
    whole_on: Collection[int] = ()


_NEW: Final = 0
"""ID that stands for the new text."""


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


class _Plan(NamedTuple):
    """Data for grouping a waiting article, read before the lock is taken.

    If a newer text than `waiting.newest` has been added since, it is out of date. If the article
    `is_leaving` its previous text, it leaves that first.
    """

    waiting: WaitingArticle
    is_leaving: bool = False
    found: _Found = _Found()
    place: _Place = _Place()
    story: Story | None = None


def provisional_stories(
    session: Session, arrivals: Collection[Arrival], window: timedelta
) -> dict[int, ProvisionalStory]:
    """Return the provisional stories of articles by page ID; see `await_grouping`.

    The pages must be locked. Articles fetched more than `window` apart are not compared.
    """
    if not arrivals:
        return {}
    known = story_articles.stories_of_pages(session, [each.page_id for each in arrivals])
    arrivals = [_as_first_received(each, known.get(each.page_id)) for each in arrivals]
    said: dict[int, ProvisionalStory] = {}
    looked_up: list[Arrival] = []
    for each in arrivals:
        before = known.get(each.page_id)
        if before is None or _is_changed(before, each):
            looked_up.append(each)
        else:
            told = Story.model_validate(before.told)
            said[each.page_id] = ProvisionalStory(each, told, is_repeat=True)
    for each, found in zip(looked_up, _find(session, looked_up, window), strict=True):
        said[each.page_id] = _look_up(each, found, _place(session, each, found).state)
    for page_id, before in known.items():
        said[page_id] = said[page_id]._replace(was_held_back=before.is_held_back)
    return said


def await_grouping(
    session: Session, said: Collection[ProvisionalStory], sent: Mapping[int, bool]
) -> None:
    """Record the provisional stories of articles, and request their grouping.

    The pages must be locked. `sent` has the pages that have a new revision, each with whether the
    revision was held back as a repeat.
    """
    if not said:
        return
    story_arrivals.add(
        session,
        [
            NewArrival(
                each.arrival,
                each.story.model_dump(mode="json"),
                is_sent=each.arrival.page_id in sent,
                is_held_back=sent.get(each.arrival.page_id, False),
            )
            for each in said
        ],
    )
    request_telling(session)


def forget_articles(session: Session, page_ids: Collection[int]) -> None:
    """Request that locked pages without articles be removed from their stories."""
    if story_arrivals.add_gone(session, page_ids):
        request_telling(session)


def request_telling(session: Session) -> None:
    """Request the grouping of waiting articles, unless it has already been requested."""
    outbox.add_task_once(session, task_names.TELL_STORIES)


def load_waiting(
    session: Session, after: int, most: int, window: timedelta
) -> tuple[list[WaitingArticle], list[WaitingArticle]]:
    """Return the next waiting articles, and those of them that repeat neither texts nor each other.

    They are those of the pages ``after`` the given one.
    """
    waiting = story_arrivals.load_next(session, after, most)
    new = [
        (each, each.arrival)
        for each in waiting
        if each.arrival is not None and (each.before is None or each.before.text_id is None)
    ]
    unrelated: list[WaitingArticle] = []
    seen: set[bytes | int] = set()
    for (article, arrival), found in zip(
        new, _find(session, [arrival for _, arrival in new], window), strict=True
    ):
        own: set[bytes | int] = set()
        if arrival.fingerprint.is_comparable:
            own = {arrival.fingerprint.key, *map(int, arrival.fingerprint.bands)}
        if found.same is None and not found.others and seen.isdisjoint(own):
            unrelated.append(article)
            seen |= own
    return waiting, unrelated


def group_unrelated(database: Database, unrelated: Sequence[WaitingArticle]) -> set[int]:
    """Group articles that repeat no text together, and return the IDs of their pages.

    Each of them becomes a story of its own.
    """
    return database.run(lambda session: _tell_unrelated(session, unrelated))


def _tell_unrelated(session: Session, waiting: Sequence[WaitingArticle]) -> set[int]:
    locked = story_arrivals.lock(session, waiting)
    arrivals = [
        each.arrival for each in waiting if each.arrival is not None and each.page_id in locked
    ]
    if not arrivals:
        return set()
    told = [(each, _alone(each).model_dump(mode="json")) for each in arrivals]
    return story_arrivals.tell_unrelated(session, told, waiting[0].newest)


def group_page(database: Database, page_id: int, window: timedelta) -> None:
    """Group a page's waiting article, or remove the page from its story."""
    while (plan := database.run(lambda session: _plan(session, page_id, window))) is not None:
        try:
            if database.run(lambda session: _tell(session, plan)):
                return
        except IntegrityError:
            # One of the texts found has been removed with its old story.
            continue


def _plan(session: Session, page_id: int, window: timedelta) -> _Plan | None:
    waiting = story_arrivals.load(session, page_id)
    if waiting is None:
        return None
    arrival, before = waiting.arrival, waiting.before
    if arrival is None or not arrival.fingerprint.is_comparable:
        return _Plan(waiting, is_leaving=before is not None and before.text_id is not None)
    (found,) = _find(session, [arrival], window)
    former = before.text_id if before is not None and _is_changed(before, arrival) else None
    if former is not None and (found.same is None or found.same.id != former):
        return _Plan(waiting, is_leaving=True)
    place = _place(session, arrival, found)
    # Computed here, so that the lock is held for less time.
    story = None if place.state is None else _following(arrival, place.state)
    return _Plan(waiting, found=found, place=place, story=story)


def _place(session: Session, arrival: Arrival, found: _Found) -> _Place:
    """Return the place of an article's text among the stories of the texts found."""
    like = [found.same] if found.same is not None else found.others
    states = story_articles.story_states(session, {each.story_id for each in like}, MAX_REGROUPED)
    own = found.same
    if own is not None and own.received_at <= arrival.received_at:
        return _Place(states.get(own.story_id))
    order = (arrival.received_at, arrival.fingerprint.key)
    if all((each.received_at, each.key) < order for each in like):
        states = {story: each for story, each in states.items() if _repeats(arrival, each.leader)}
    if not states:
        return _Place()
    leaders = {each.leader.id: story for story, each in states.items()}
    texts = stories.texts_of_stories(session, states, MAX_REGROUPED + 1)
    is_compared = len(texts) <= MAX_REGROUPED
    if not is_compared:
        texts = [*texts[:MAX_REGROUPED], *(each.leader for each in states.values())]
    shingles = {each.id: each.shingles for each in texts}
    known = {
        each.id: StoryText(each.key, len(each.shingles), each.sites[0], each.received_at)
        for each in texts
    }
    new = own.id if own is not None else _NEW
    shingles[new] = arrival.fingerprint.shingles
    known[new] = StoryText(
        arrival.fingerprint.key, len(shingles[new]), arrival.site_id, arrival.received_at
    )
    groups = group_texts(known, _common_of(shingles))
    (group,) = (each for each in groups.values() if new in each)
    known_leaders = [each for each in group if each in leaders]
    if not is_compared:
        # An earlier text leads the story from now on, without its other texts being compared.
        state = states[leaders[known_leaders[0]]] if known_leaders else None
        return _Place(state, is_compared=state is None)
    state = states[leaders[group[0]]] if group[0] in leaders else None
    before = {each.id: each.story_id for each in texts}
    kept = {frozenset(each) - {_NEW} for each in groups.values()} - {frozenset()}
    is_moved = kept != {
        frozenset(each for each, its in before.items() if its == story) for story in states
    }
    leads_others = state is None and len(group) > 1
    return _Place(state, list(groups.values()) if is_moved or leads_others else (), before)


def _repeats(arrival: Arrival, leader: KnownText) -> bool:
    on_one_site = leader.sites[0] == arrival.site_id
    overlap = overlap_of(arrival.fingerprint.shingles, leader.shingles)
    return overlap.is_repeat(on_one_site=on_one_site)


def _common_of(shingles: Mapping[int, Shingles]) -> Callable[[int, int], int]:
    @cache
    def common(lower: int, higher: int) -> int:
        return overlap_of(shingles[lower], shingles[higher]).common

    return lambda one, other: common(min(one, other), max(one, other))


def _as_first_received(arrival: Arrival, before: ArticleStory | None) -> Arrival:
    """Return an article with the time at which its text was first received on its page."""
    if before is None or before.key != arrival.fingerprint.key:
        return arrival
    return replace(arrival, received_at=min(arrival.received_at, before.received_at))


def _tell(session: Session, plan: _Plan) -> bool:
    """Group an article; return False if work remains, or if the plan is out of date."""
    if not story_arrivals.lock(session, [plan.waiting]):
        return True
    page_id, _, arrival, before, newest = plan.waiting
    if stories.newest_text(session) != newest:
        return False
    if plan.is_leaving and before is not None and before.text_id is not None:
        _leave(session, page_id, before.text_id)
        if arrival is not None:
            # The new text is added in another transaction, so that the lock is held for less time.
            return False
    if arrival is None:
        story_articles.remove_articles(session, [page_id])
    elif before is None or before.text_id is None or _is_changed(before, arrival):
        _put(session, arrival, plan)
    story_arrivals.remove(session, [page_id])
    return True


def _leave(session: Session, page_id: int, text_id: int) -> None:
    """Detach an article from its text, which remains, so that no other article's story changes.

    If the article was the first of its story, the next one is recorded as such; if that one was
    held back as a repeat, it is now published. A story without articles is removed.
    """
    story_articles.take_out(session, page_id)
    for story in stories.stories_of(session, [text_id]).values():
        first = story_articles.first_of_story(session, story, None)
        if first is None:
            stories.remove_story(session, story)
            continue
        if first.is_noted:
            continue
        story_articles.note_change(session, story, first.page_id, retell=False)
        if first.is_held_back:
            state = story_articles.story_states(session, [story], MAX_REGROUPED)[story]
            of_first = first_of(story_id(state.leader.key), state.first_seen, state.wire)
            story_articles.tell(session, {first.page_id: of_first.model_dump(mode="json")})


def _put(session: Session, arrival: Arrival, plan: _Plan) -> None:
    """Add a page's article to the story that its text belongs to."""
    found, place = plan.found, plan.place
    if not arrival.fingerprint.is_comparable:
        _note(session, arrival, None, _alone(arrival))
        return
    state = place.state
    is_new = found.same is None and state is None
    if state is not None:
        story = state.leader.story_id
    elif found.same is not None:
        story = found.same.story_id
    else:
        (story,) = stories.add_stories(session, [arrival.page_id])
    text = stories.NewText(
        story,
        arrival.fingerprint.key,
        arrival.fingerprint.shingles,
        arrival.fingerprint.bands.tolist() if place.is_compared else (),
        arrival.site_id,
        arrival.seen_at,
        arrival.received_at,
    )
    if found.same is not None:
        text_id = found.same.id
        stories.touch_text(session, found.same, text)
    else:
        text_id = stories.add_text(session, text)
    changed = _store(session, place, text_id, story)
    if is_new and not changed:
        _note(session, arrival, text_id, _alone(arrival))
    elif state is not None and plan.story is not None and not changed:
        is_first = _precedes(arrival, state)
        _note(session, arrival, text_id, _alone(arrival) if is_first else plan.story)
        first_id = arrival.page_id if is_first else state.first_page_id or arrival.page_id
        story_articles.note_change(session, story, first_id, retell=is_first)
    else:
        # Provisional, until the stories' articles are updated.
        _note(session, arrival, text_id, _alone(arrival))
        (story,) = stories.stories_of(session, [text_id]).values()
        for each in sorted({*changed, story}):
            first = story_articles.first_of_story(session, each, arrival.page_id)
            if first is not None:
                story_articles.note_change(session, each, first.page_id, retell=True)


def _note(session: Session, arrival: Arrival, text_id: int | None, story: Story) -> None:
    told = ArticleStory(
        text_id,
        arrival.fingerprint.key,
        arrival.fetched_at,
        arrival.received_at,
        arrival.wire,
        story.model_dump(mode="json"),
    )
    story_articles.put_articles(session, {arrival.page_id: told})


def _store(session: Session, place: _Place, text_id: int, story: int) -> set[int]:
    """Give each group the most common story of its texts that no larger group has claimed.

    Return the stories that gained or lost texts.
    """
    before = {**place.before, text_id: story}
    groups = [[text_id if each == _NEW else each for each in group] for group in place.groups]
    changed: set[int] = set()
    taken: set[int] = set()
    for group in sorted(groups, key=lambda each: (-len(each), min(each))):
        own = Counter(before[each] for each in group if before[each] not in taken)
        if own:
            story = min(own, key=lambda each: (-own[each], each))
        else:
            (story,) = stories.add_stories(session, [None])
        taken.add(story)
        if moved := {each for each in group if before[each] != story}:
            stories.move_texts(session, moved, story)
            changed |= {story, *(before[each] for each in moved)}
    if changed:
        stories.remove_empty_stories(session, changed)
    return changed


def retell_some(database: Database) -> bool:
    """Update more articles of a story whose first article changed; return False if none is left."""

    def read(
        session: Session,
    ) -> tuple[story_articles.Retelling, StoryState, list[Any], Any] | None:
        story = story_articles.story_to_retell(session)
        if story is None:
            return None
        states = story_articles.story_states(session, [story.story_id], MAX_REGROUPED)
        if not states:
            return None
        (state,) = states.values()
        articles = story_articles.articles_to_retell(session, story, RETOLD_AT_ONCE)
        texts = [text_id for text_id, *_ in articles]
        return story, state, articles, stories.shingles_of(session, texts)

    wanted = database.run(read)
    if wanted is None:
        return False
    story, state, articles, shingles = wanted
    told: dict[int, Mapping[str, Any]] = {}
    for text_id, page_id, wire in articles:
        of_first = first_of(story_id(state.leader.key), state.first_seen, wire)
        if page_id != state.first_page_id:
            of_first = follower_of(of_first, shingles[text_id], state.leader.shingles, wire)
        told[page_id] = of_first.model_dump(mode="json")
    *_, last = [None, *([text_id, page_id] for text_id, page_id, _ in articles)]
    retold_to = last if len(articles) == RETOLD_AT_ONCE else None

    def write(session: Session) -> None:
        stories.lock_stories(session)
        if story_articles.note_retold(session, story, retold_to):
            story_articles.tell(session, told)

    database.run(write)
    return True


def _is_changed(before: ArticleStory, arrival: Arrival) -> bool:
    return (before.key, before.fetched_at, before.wire) != (
        arrival.fingerprint.key,
        arrival.fetched_at,
        arrival.wire,
    )


def _alone(arrival: Arrival) -> Story:
    """Return the story entry of an article that is the first of its story."""
    key = arrival.fingerprint.key
    identity = (
        story_id(key)
        if arrival.fingerprint.is_comparable
        else id_alone(key, site_name(arrival.site), arrival.url)
    )
    return first_of(identity, arrival.fetched_at, arrival.wire)


def _look_up(arrival: Arrival, found: _Found, state: StoryState | None) -> ProvisionalStory:
    if state is None or _precedes(arrival, state):
        return ProvisionalStory(arrival, _alone(arrival), is_repeat=False)
    story = _following(arrival, state)
    # If only one other site has a longer text that contains this one, either site may have copied
    # the other.
    of_several = arrival.site_id in found.whole_on or len(found.whole_on) > 1
    return ProvisionalStory(
        arrival,
        story,
        is_repeat=state.first_page_id is not None and (story.relation == "same" or of_several),
    )


def _following(arrival: Arrival, state: StoryState) -> Story:
    of_first = first_of(story_id(state.leader.key), state.first_seen, state.wire)
    if arrival.page_id == state.first_page_id:
        return of_first.model_copy(update={"wire": arrival.wire})
    own = arrival.fingerprint.shingles
    return follower_of(of_first, own, state.leader.shingles, arrival.wire)


def _precedes(arrival: Arrival, state: StoryState) -> bool:
    """Return whether an article precedes the first article of a story."""
    own = (arrival.received_at, arrival.fingerprint.key)
    first = (state.leader.received_at, state.leader.key)
    if state.site_key is None or state.url is None or own != first:
        return own < first
    place = (state.site_key.encode(), state.url.encode())
    return (arrival.site.encode(), arrival.url.encode()) < place


def _find(session: Session, arrivals: Sequence[Arrival], window: timedelta) -> list[_Found]:
    """Return, for each article, the stored texts that its text may repeat."""
    comparable = [each for each in arrivals if each.fingerprint.is_comparable]
    if not comparable:
        return [_Found()] * len(arrivals)
    wanted = [
        AskedText(each.fingerprint.key, each.fingerprint.bands.tolist(), each.seen_at)
        for each in comparable
    ]
    found = {
        each.page_id: _Found(like.same) if like.same is not None else _like(each, like.others)
        for each, like in zip(comparable, stories.texts_like(session, wanted, window), strict=True)
    }
    return [found.get(each.page_id, _Found()) for each in arrivals]


def _like(arrival: Arrival, others: Iterable[KnownText]) -> _Found:
    """Return those of the texts that share bands with an article's text that are like it."""
    like: list[KnownText] = []
    whole_on: set[int] = set()
    for other in others:
        overlap = overlap_of(arrival.fingerprint.shingles, other.shingles)
        if overlap.common >= APART * min(overlap.own, overlap.other):
            like.append(other)
        if overlap.own < overlap.other and overlap.common >= WHOLE * overlap.own:
            whole_on.update(other.sites)
    return _Found(None, like, whole_on)
