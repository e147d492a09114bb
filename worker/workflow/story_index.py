"""Index of stories: the provisional story of an article, and its later grouping.

During extraction, the story that an article repeats is looked up without a lock;
`worker.workflow.stories` groups the article later. Grouping locks all stories, so the number of
texts and overlaps that it reads is limited: a story that has become too large accepts further
texts, but is no longer regrouped.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from detourage.duplicates.grouping import APART, StoryText, group_texts
from detourage.duplicates.overlap import WHOLE, overlap_of
from detourage.duplicates.story_entry import first_of, follower_of, id_alone, story_id
from detourage.html import site_name
from detourage.messages import Story
from worker.messaging import task_names
from worker.store import outbox, stories, story_arrivals, story_articles
from worker.store.database import Database
from worker.store.stories import AskedText, GroupedText, KnownText
from worker.store.story_arrivals import Arrival, NewArrival, WaitingArticle
from worker.store.story_articles import ArticleStory, StoryState, TellingArticle

MAX_REGROUPED: Final = 50
"""Maximum number of texts regrouped for a new text, counting copies once; if there are more, the
new text joins its nearest text's story and is never compared again."""

MAX_PAIRS: Final = 2000
"""Maximum number of overlaps read for one regrouping."""

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
    """The texts that a text repeats, read without the lock.

    `same` is the identical text, `common` the number of shared shingles by text ID, and `repeated`
    the repeated texts, nearest first. `whole_on` has the sites with a longer text that contains
    this one.
    """

    same: KnownText | None
    common: Mapping[int, int]
    repeated: Sequence[KnownText]
    whole_on: Collection[int]

    @property
    def nearest(self) -> KnownText | None:
        """The text whose story the new text joins."""
        return self.same or next(iter(self.repeated), None)


_NOTHING: Final = _Found(None, {}, (), ())


class _Plan(NamedTuple):
    """Data for grouping a waiting article, read before the lock is taken.

    If a newer text than `waiting.newest` has been added since, `found` may be incomplete.
    `leaving` is the article's previous text, from whose story the article is removed first. Texts
    in `full` accept no further comparisons. `first` is the recorded first article of the story that
    the article joins, `told` the article's entry if it follows `first`, and `pairs` the overlaps
    between texts that may be regrouped.
    """

    waiting: WaitingArticle
    leaving: int | None = None
    found: _Found = _NOTHING
    full: Collection[int] = ()
    first: TellingArticle | None = None
    told: Story | None = None
    pairs: "_Pairs | None" = None


def provisional_stories(
    session: Session, arrivals: Collection[Arrival], window: timedelta
) -> dict[int, ProvisionalStory]:
    """Return the provisional stories of articles by page ID; see `await_grouping`.

    The pages must be locked. Articles fetched more than `window` apart are not compared.
    """
    if not arrivals:
        return {}
    known = story_articles.stories_of_pages(session, [each.page_id for each in arrivals])
    said: dict[int, ProvisionalStory] = {}
    looked_up: list[Arrival] = []
    for each in arrivals:
        before = known.get(each.page_id)
        if before is None or _is_changed(before, each):
            looked_up.append(each)
        else:
            told = Story.model_validate(before.told)
            said[each.page_id] = ProvisionalStory(each, told, is_repeat=True)
    found = _find(session, looked_up, window)
    states = _states_of(session, found)
    for each, own in zip(looked_up, found, strict=True):
        said[each.page_id] = _look_up(each, own, states)
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
        if found.nearest is None and not found.common and seen.isdisjoint(own):
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


def _new_text(arrival: Arrival, story: int) -> stories.NewText:
    fingerprint = arrival.fingerprint
    bands = [int(each) for each in fingerprint.bands]
    return stories.NewText(
        story, fingerprint.key, fingerprint.shingles, bands, arrival.site_id, arrival.seen_at
    )


def group_page(database: Database, page_id: int, window: timedelta) -> None:
    """Group a page's waiting article, or remove the page from its story."""
    while (plan := database.run(lambda session: _plan(session, page_id, window))) is not None:
        try:
            if database.run(lambda session: _tell(session, plan)):
                return
        except IntegrityError:
            # A process running the previous release has removed one of the texts found.
            continue


def _plan(session: Session, page_id: int, window: timedelta) -> _Plan | None:
    waiting = story_arrivals.load(session, page_id)
    if waiting is None:
        return None
    arrival, before = waiting.arrival, waiting.before
    plan = _Plan(waiting)
    former = before.text_id if before is not None else None
    if former is not None and _leaves(session, before, arrival, window):
        pairs = _Pairs()
        if pairs.read(session, [former]):
            _around(session, pairs.neighbours([former]), pairs)
        return plan._replace(leaving=former, pairs=pairs)
    if arrival is None or not arrival.fingerprint.is_comparable:
        return plan
    (found,) = _find(session, [arrival], window)
    pairs, full, first, told = _Pairs(), set[int](), None, None
    if found.nearest is not None:
        state = _states_of(session, [found]).get(found.nearest.story_id)
        first = state.first if state is not None else None
        told = _following(arrival, first) if first is not None else None
        if state is not None and state.is_full:
            return plan._replace(found=found, full={found.nearest.id}, first=first, told=told)
    if found.common:
        pairs.read(session, found.common)
        full = stories.full_texts(session, found.common)
    near = [found.same.id] if found.same is not None else [*found.common]
    if near and (found.nearest is None or found.nearest.id not in full):
        _around(session, near, pairs)
    return plan._replace(found=found, full=full, first=first, told=told, pairs=pairs)


def _states_of(session: Session, found: Iterable[_Found]) -> dict[int, StoryState]:
    """Return the states of the stories that texts would join, by ID."""
    ids = {each.nearest.story_id for each in found if each.nearest is not None}
    return story_articles.story_states(session, ids, MAX_REGROUPED)


def _leaves(
    session: Session, before: ArticleStory | None, arrival: Arrival | None, window: timedelta
) -> bool:
    """Return whether the text of a page's article has changed since it was grouped."""
    if before is None or arrival is None or not arrival.fingerprint.is_comparable:
        return True
    if not _is_changed(before, arrival):
        return False
    (found,) = _find(session, [arrival], window)
    return found.same is None or found.same.id != before.text_id


def _tell(session: Session, plan: _Plan) -> bool:
    """Group an article; return False if work remains, or if the plan is out of date."""
    if not story_arrivals.lock(session, [plan.waiting]):
        return True
    page_id, _, arrival, before, newest = plan.waiting
    if stories.newest_text(session) != newest:
        return False
    index = _Index(session)
    if plan.leaving is not None:
        index.take_out(page_id, plan.leaving, plan.pairs or _Pairs())
        if arrival is not None:
            # The new text is added in another transaction, so that the lock is held for less time.
            return False
    if arrival is None:
        story_articles.remove_articles(session, [page_id])
    elif before is None or before.text_id is None or _is_changed(before, arrival):
        index.put(arrival, plan)
    story_arrivals.remove(session, [page_id])
    return True


def retell_some(database: Database) -> bool:
    """Update more articles of a story whose first article changed; return False if none is left."""

    def read(session: Session) -> tuple[story_articles.Retelling, Any, list[Any], Any] | None:
        story = story_articles.story_to_retell(session)
        if story is None:
            return None
        states = story_articles.story_states(session, [story.story_id], MAX_REGROUPED)
        first = states[story.story_id].first if states else None
        articles = story_articles.articles_to_retell(session, story, RETOLD_AT_ONCE)
        texts = [text_id for text_id, *_ in articles]
        return story, first, articles, stories.shingles_of(session, texts)

    wanted = database.run(read)
    if wanted is None:
        return False
    story, first, articles, shingles = wanted
    told: dict[int, Mapping[str, Any]] = {}
    if first is not None:
        of_first = first_of(story_id(first.key), first.fetched_at, first.wire)
        for text_id, page_id, wire in articles:
            of_page = of_first
            if page_id != first.page_id:
                of_page = follower_of(of_first, shingles[text_id], first.shingles, wire)
            told[page_id] = of_page.model_dump(mode="json")
    *_, last = [None, *([text_id, page_id] for text_id, page_id, _ in articles)]
    retold_to = last if len(articles) == RETOLD_AT_ONCE else None

    def write(session: Session) -> None:
        stories.lock_stories(session)
        found = None
        if first is None:
            found = story_articles.first_of_story(session, story.story_id, None)
        if found is not None:
            story_articles.note_change(session, story.story_id, found[0].page_id, retell=True)
        elif story_articles.note_retold(session, story, retold_to):
            story_articles.tell(session, told)

    database.run(write)
    return True


def _is_changed(before: ArticleStory, arrival: Arrival) -> bool:
    return (before.key, before.fetched_at, before.wire) != (
        arrival.fingerprint.key,
        arrival.fetched_at,
        arrival.wire,
    )


def _told(arrival: Arrival, text_id: int | None, story: Story) -> ArticleStory:
    key, told = arrival.fingerprint.key, story.model_dump(mode="json")
    return ArticleStory(text_id, key, arrival.fetched_at, arrival.wire, told)


def _alone(arrival: Arrival) -> Story:
    """Return the story entry of an article that is the first of its story."""
    key = arrival.fingerprint.key
    identity = (
        story_id(key)
        if arrival.fingerprint.is_comparable
        else id_alone(key, site_name(arrival.site), arrival.url)
    )
    return first_of(identity, arrival.fetched_at, arrival.wire)


def _look_up(arrival: Arrival, found: _Found, states: Mapping[int, StoryState]) -> ProvisionalStory:
    state = states.get(found.nearest.story_id) if found.nearest is not None else None
    first = state.first if state is not None else None
    if first is None or _precedes(arrival, first):
        return ProvisionalStory(arrival, _alone(arrival), is_repeat=False)
    story = _following(arrival, first)
    # If only one other site has a longer text that contains this one, either site may have copied
    # the other.
    of_several = arrival.site_id in found.whole_on or len(found.whole_on) > 1
    return ProvisionalStory(arrival, story, is_repeat=story.relation == "same" or of_several)


def _following(arrival: Arrival, first: TellingArticle) -> Story:
    of_first = first_of(story_id(first.key), first.fetched_at, first.wire)
    return follower_of(of_first, arrival.fingerprint.shingles, first.shingles, arrival.wire)


def _precedes(arrival: Arrival, first: TellingArticle) -> bool:
    """Return whether an article precedes the first article of a story."""
    own = (arrival.fetched_at, arrival.fingerprint.key, arrival.site, arrival.url)
    return arrival.page_id == first.page_id or _place(*own) < _place(
        first.fetched_at, first.key, first.site_key, first.url
    )


def _place(fetched_at: datetime | None, key: bytes, site: str, url: str) -> tuple[Any, ...]:
    time = fetched_at.timestamp() if fetched_at is not None else 0.0
    return fetched_at is None, time, key, site.encode(), url.encode()


def _find(session: Session, arrivals: Sequence[Arrival], window: timedelta) -> list[_Found]:
    """Return, for each article, the stored texts that its text repeats."""
    comparable = [each for each in arrivals if each.fingerprint.is_comparable]
    if not comparable:
        return [_NOTHING] * len(arrivals)
    wanted = [
        AskedText(each.fingerprint.key, each.fingerprint.bands.tolist(), each.seen_at)
        for each in comparable
    ]
    found = {
        each.page_id: (
            _repeated(each, like.others) if like.same is None else _NOTHING._replace(same=like.same)
        )
        for each, like in zip(comparable, stories.texts_like(session, wanted, window), strict=True)
    }
    return [found.get(each.page_id, _NOTHING) for each in arrivals]


def _repeated(arrival: Arrival, others: Iterable[KnownText]) -> _Found:
    """Return those of the texts that share bands with an article's text that it repeats."""
    common: dict[int, int] = {}
    repeated: list[KnownText] = []
    whole_on: set[int] = set()
    for other in others:
        overlap = overlap_of(arrival.fingerprint.shingles, other.shingles)
        if overlap.common < APART * min(overlap.own, overlap.other):
            continue
        common[other.id] = overlap.common
        if overlap.is_repeat(on_one_site=other.sites == [arrival.site_id]):
            repeated.append(other)
        if overlap.own < overlap.other and overlap.common >= WHOLE * overlap.own:
            whole_on.update(other.sites)
    # The sort is stable, so among equals, the text with more bands in common stays first.
    repeated.sort(key=lambda each: -common[each.id])
    return _Found(None, common, repeated, whole_on)


class _Index:
    """The index of article texts, locked by one transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def put(self, arrival: Arrival, plan: _Plan) -> None:
        """Add a page's article to the story that its text belongs to."""
        session, found, first = self._session, plan.found, plan.first
        pairs = plan.pairs or _Pairs()
        if not arrival.fingerprint.is_comparable:
            self._note(arrival, None, _alone(arrival))
            return
        if found.same is not None:
            text_id, before = found.same.id, found.same.sites
            sites = {*before, arrival.site_id}
            stories.touch_text(session, text_id, sites=sites, seen_at=arrival.seen_at)
            # Texts of the same site must have more in common to be grouped, so a second site may
            # change the grouping.
            may_regroup, near = len(before) == 1 and len(sites) > 1, [text_id]
        else:
            common = {each: n for each, n in found.common.items() if each not in plan.full}
            text_id, may_regroup = self._add_text(arrival, common, found.nearest, plan.full)
            pairs.add(text_id, common)
            near = [text_id, *found.common]
        changed = self._regroup(near, pairs) if may_regroup else {}
        if found.nearest is None and not changed:
            self._note(arrival, text_id, _alone(arrival))
        elif (
            first is not None
            and first.page_id != arrival.page_id
            and plan.told is not None
            and not changed
        ):
            is_first = _precedes(arrival, first)
            self._note(arrival, text_id, _alone(arrival) if is_first else plan.told)
            first_id = arrival.page_id if is_first else first.page_id
            story = found.nearest.story_id if found.nearest is not None else 0
            story_articles.note_change(session, story, first_id, retell=is_first)
        else:
            # Provisional, until `_retell` sets the relation to the first article.
            self._note(arrival, text_id, _alone(arrival))
            (story,) = stories.stories_of(session, [text_id]).values()
            changed.setdefault(story, set())
            self._retell(changed, arrival, story)

    def take_out(self, page_id: int, text_id: int, pairs: "_Pairs") -> None:
        """Remove a page from its story, and regroup the story's other texts."""
        is_bounded = pairs.read(self._session, [text_id])
        story_ids = set(stories.stories_of(self._session, [text_id]).values())
        story_articles.take_out(self._session, page_id)
        stories.review_text(self._session, text_id)
        around = stories.stories_of(self._session, pairs.neighbours([text_id]))
        changed = self._regroup(around, pairs) if is_bounded else {}
        for story in story_ids:
            changed.setdefault(story, set())
        self._retell(changed, None, None)
        stories.remove_empty_stories(self._session, story_ids)

    def _add_text(
        self,
        arrival: Arrival,
        common: Mapping[int, int],
        nearest: KnownText | None,
        full: Collection[int],
    ) -> tuple[int, bool]:
        """Store an article's text, and return its ID and whether it may change the grouping."""
        is_compared = nearest is None or nearest.id not in full
        if nearest is not None:
            story = nearest.story_id
        else:
            (story,) = stories.add_stories(self._session, [arrival.page_id])
        new = _new_text(arrival, story)
        new = new._replace(common=common) if is_compared else new._replace(bands=())
        (text_id,) = stories.add_texts(self._session, [new])
        return text_id, is_compared and bool(common)

    def _note(self, arrival: Arrival, text_id: int | None, story: Story) -> None:
        told = _told(arrival, text_id, story)
        story_articles.put_articles(self._session, {arrival.page_id: told})

    def _regroup(self, text_ids: Collection[int], pairs: "_Pairs") -> dict[int, set[int]]:
        """Regroup texts with their neighbours, and return the texts moved to each changed story.

        A new text can affect the texts that overlap with it, and the neighbours of these texts. If
        there are too many of them, nothing changes.
        """
        session = self._session
        found = _around(session, text_ids, pairs)
        if found is None:
            return {}
        texts, beside = found
        wanted = {each.id for each in texts}
        known = {
            each.id: StoryText(each.key, each.length, frozenset(each.sites))
            for each in (*texts, *stories.texts_with_ids(session, beside))
        }
        groups = group_texts(known, pairs.common, wanted)
        changed = self._store(groups, {each.id: each.story_id for each in texts})
        if changed:
            stories.remove_empty_stories(session, changed)
        return changed

    def _store(
        self, groups: Iterable[Collection[int]], before: Mapping[int, int]
    ) -> dict[int, set[int]]:
        """Give each group the most common story of its texts that no larger group has claimed.

        Return the stories that gained or lost texts, each with the texts that it gained.
        """
        changed: dict[int, set[int]] = {}
        taken: set[int] = set()
        for group in sorted(groups, key=lambda each: (-len(each), min(each))):
            own = Counter(before[each] for each in group if before[each] not in taken)
            if own:
                story = min(own, key=lambda each: (-own[each], each))
            else:
                (story,) = stories.add_stories(self._session, [None])
            taken.add(story)
            if moved := {each for each in group if before[each] != story}:
                stories.move_texts(self._session, moved, story)
                changed.setdefault(story, set()).update(moved)
                for each in moved:
                    changed.setdefault(before[each], set())
        return changed

    def _retell(
        self, changed: Mapping[int, Collection[int]], arrival: Arrival | None, own: int | None
    ) -> None:
        """Record the changed stories whose articles need an update.

        `changed` maps stories to the texts that they gained; `own` is the story of a new article.
        """
        for story, moved in sorted(changed.items()):
            new = arrival if story == own else None
            new_page = new.page_id if new is not None else None
            found = story_articles.first_of_story(self._session, story, new_page)
            if found is None:
                continue
            first, is_noted = found
            retell = bool(moved) or not is_noted or first.page_id == new_page
            story_articles.note_change(self._session, story, first.page_id, retell=retell)
            if new is not None and not retell:
                told = _following(new, first).model_dump(mode="json")
                story_articles.tell(self._session, {new.page_id: told})


def _around(
    session: Session, text_ids: Collection[int], pairs: "_Pairs"
) -> tuple[Sequence[GroupedText], Collection[int]] | None:
    """Return the texts to regroup with the given texts, or None if there are too many.

    No lock is needed: the overlap of two texts never changes, so overlaps read here need not be
    read again under the lock.
    """
    if not pairs.read(session, text_ids):
        return None
    near = pairs.neighbours(text_ids)
    if not pairs.read(session, near):
        return None
    story_ids = set(stories.stories_of(session, pairs.neighbours(near)).values())
    texts = stories.texts_of_stories(session, story_ids, MAX_REGROUPED + 1)
    if len(texts) > MAX_REGROUPED or not all(each.is_compared for each in texts):
        return None
    wanted = {each.id for each in texts}
    if not pairs.read(session, wanted):
        return None
    beside = pairs.neighbours(wanted) - wanted
    return (texts, beside) if pairs.read(session, beside) else None


class _Pairs:
    """Overlaps between texts: `common` has the number of shared shingles by pair of text IDs.

    Each text's overlaps are read only once; `read` returns False beyond `MAX_PAIRS` pairs.
    """

    def __init__(self) -> None:
        self._read: set[int] = set()
        self.common: dict[tuple[int, int], int] = {}

    def add(self, text_id: int, common: Mapping[int, int]) -> None:
        """Add a text with all its overlaps."""
        for other, number in common.items():
            self.common[min(text_id, other), max(text_id, other)] = number
        self._read.add(text_id)

    def read(self, session: Session, text_ids: Collection[int]) -> bool:
        """Read the overlaps between texts, and return whether the total is within the limit."""
        new = set(text_ids) - self._read
        most = MAX_PAIRS + 1 - len(self.common)
        if len(new) > most:
            return False
        if new:
            self.common |= stories.overlaps_with(session, new, most)
            self._read |= new
        return len(self.common) <= MAX_PAIRS

    def neighbours(self, text_ids: Collection[int]) -> set[int]:
        """Return the IDs of the given texts and of the texts known to overlap with them."""
        near = (pair for pair in self.common if not set(pair).isdisjoint(text_ids))
        return {*text_ids, *(each for pair in near for each in pair)}
