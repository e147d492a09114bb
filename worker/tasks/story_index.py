"""Articles among the stories: which one they tell, as soon as they are extracted."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy.orm import Session

from worker.store import stories, story_articles
from worker.store.story_articles import TellingArticle, Told
from worker.stories.fingerprint import Fingerprint, fingerprint_of
from worker.stories.grouping import APART, StoryText, group_texts
from worker.stories.overlap import overlap_of
from worker.stories.telling import first_of, follower_of, id_alone, story_id

MAX_REGROUPED: Final = 100
"""Texts that are grouped anew for one that comes: if all repeat each other it takes 18 ms.

Beyond, a text joins the story of the one that it has most in common with, and nothing else changes.
Copies of one text are one text.
"""


@dataclass(frozen=True)
class Arrival:
    """An article as it is extracted.

    Attributes
    ----------
    page_id, site_id, site, url
        Its page.
    text
        Its text.
    fetched_at
        When the page was fetched, where that is known.
    seen_at
        The same, or when the page was extracted.
    wire
        The agency that it names.
    """

    page_id: int
    site_id: int
    site: str
    url: str
    text: str
    fetched_at: datetime | None
    seen_at: datetime
    wire: str | None


def tell_stories(
    session: Session, arrivals: Iterable[Arrival], window: timedelta
) -> dict[int, Told]:
    """Group articles into stories; return what each of them is to say of its story, by page.

    What other articles are to say may change with that, which `story_articles.pages_to_correct`
    then finds.

    Parameters
    ----------
    session
        The transaction. It is the only one that groups articles until it ends.
    arrivals
        The articles.
    window
        Time within which articles must be fetched to be compared.
    """
    ordered = sorted(arrivals, key=lambda each: each.page_id)
    if not ordered:
        return {}
    fingerprints = {each.page_id: fingerprint_of(each.text) for each in ordered}
    stories.lock_stories(session)
    known = story_articles.told_of_pages(session, list(fingerprints))
    index = _Index(session, window)
    for arrival in ordered:
        fingerprint = fingerprints[arrival.page_id]
        before = known.get(arrival.page_id)
        if before is None or _is_changed(before, arrival, fingerprint):
            index.put(arrival, fingerprint, before)
    return story_articles.told_of_pages(session, list(fingerprints))


def forget_articles(session: Session, page_ids: Collection[int], window: timedelta) -> None:
    """Take pages out of their stories that have no article any more."""
    known = story_articles.told_of_pages(session, page_ids)
    if not known:
        return
    stories.lock_stories(session)
    index = _Index(session, window)
    for page_id in sorted(known):
        index.take_out(page_id, known[page_id])
    story_articles.remove_articles(session, list(known))


def _is_changed(before: Told, arrival: Arrival, fingerprint: Fingerprint) -> bool:
    return (before.key, before.fetched_at, before.wire) != (
        fingerprint.key,
        arrival.fetched_at,
        arrival.wire,
    )


class _Index:
    """The index of the texts of articles, held alone by one transaction."""

    def __init__(self, session: Session, window: timedelta) -> None:
        self._session = session
        self._window = window

    def put(self, arrival: Arrival, fingerprint: Fingerprint, before: Told | None) -> None:
        """Put a page's article where its text belongs."""
        if before is not None:
            self.take_out(arrival.page_id, before)
        if not fingerprint.is_comparable:
            alone = id_alone(fingerprint.key, arrival.site, arrival.url)
            self._note(arrival, fingerprint, None, alone)
            return
        text_id, is_alone, may_regroup = self._place(arrival, fingerprint)
        # Whatever it is to others, which follows.
        self._note(arrival, fingerprint, text_id, story_id(fingerprint.key))
        if is_alone:
            return
        changed = self._regroup([text_id]) if may_regroup else {}
        for story in stories.stories_of(self._session, [text_id]):
            changed.setdefault(story, set())
        self._retell(changed, arrival.page_id)

    def take_out(self, page_id: int, before: Told) -> None:
        """Take a page out of its story."""
        if before.text_id is None:
            return
        around = stories.texts_around(self._session, [before.text_id])
        story_articles.take_out(self._session, page_id)
        stories.review_text(self._session, before.text_id)
        self._retell(self._regroup(around), None)

    def _note(
        self, arrival: Arrival, fingerprint: Fingerprint, text_id: int | None, identity: UUID
    ) -> None:
        told = first_of(identity, arrival.fetched_at, arrival.wire).model_dump(mode="json")
        known = Told(text_id, fingerprint.key, arrival.fetched_at, arrival.wire, told)
        story_articles.put_article(self._session, arrival.page_id, known)

    def _place(self, arrival: Arrival, fingerprint: Fingerprint) -> tuple[int, bool, bool]:
        """Return the text of an article, whether it is alone, and whether it may change groups."""
        session, seen_at = self._session, arrival.seen_at
        same = stories.text_with_key(session, fingerprint.key, seen_at, self._window)
        if same is not None:
            sites = {*same.sites, arrival.site_id}
            stories.touch_text(session, same.id, sites=sites, seen_at=seen_at)
            # Texts of one site are asked to have more in common.
            return same.id, False, len(same.sites) == 1 and len(sites) > 1
        bands = [int(each) for each in fingerprint.bands]
        common, nearest = {}, None
        for other in stories.texts_like(session, bands, seen_at, self._window):
            overlap = overlap_of(fingerprint.shingles, other.shingles)
            if overlap.common >= APART * min(overlap.own, overlap.other):
                on_one_site = other.sites == [arrival.site_id]
                if overlap.is_repeat(on_one_site=on_one_site) and (
                    nearest is None or overlap.common > common[nearest.id]
                ):
                    nearest = other
                common[other.id] = overlap.common
        text_id = stories.add_text(
            session,
            key=fingerprint.key,
            shingles=fingerprint.shingles,
            bands=bands,
            site_id=arrival.site_id,
            seen_at=seen_at,
            common=common,
            story_id=nearest.story_id if nearest else stories.add_story(session, arrival.page_id),
        )
        return text_id, not common, bool(common)

    def _regroup(self, text_ids: Collection[int]) -> dict[int, set[int]]:
        """Group texts anew with all around them; return the stories, and what moved to each."""
        session = self._session
        around = stories.texts_around(session, text_ids)
        story_ids = stories.stories_of(session, around)
        texts = stories.texts_of_stories(session, story_ids, MAX_REGROUPED + 1)
        if len(texts) > MAX_REGROUPED:
            return {}
        wanted = {each.id for each in texts}
        beside = stories.neighbours(session, wanted) - wanted
        common = stories.overlaps_with(session, wanted | beside)
        known = {
            each.id: StoryText(each.key, each.length, frozenset(each.sites))
            for each in (*texts, *stories.texts_with_ids(session, beside))
        }
        groups = group_texts(known, common, wanted)
        changed = self._store(groups, {each.id: each.story_id for each in texts})
        stories.remove_empty_stories(session, story_ids)
        return changed

    def _store(
        self, groups: Iterable[Collection[int]], before: Mapping[int, int]
    ) -> dict[int, set[int]]:
        """Give each group a story: that of most of its texts, where no larger group has it."""
        changed: dict[int, set[int]] = {}
        for group in sorted(groups, key=lambda each: (-len(each), min(each))):
            own = Counter(before[each] for each in group if before[each] not in changed)
            story = (
                min(own, key=lambda each: (-own[each], each))
                if own
                else stories.add_story(self._session)
            )
            changed[story] = {each for each in group if before[each] != story}
            if changed[story]:
                stories.move_texts(self._session, changed[story], story)
        return changed

    def _retell(self, changed: Mapping[int, Collection[int]], page_id: int | None) -> None:
        """Say anew what the articles of stories tell.

        Parameters
        ----------
        changed
            The stories, with the texts that are new to each.
        page_id
            A page that is new to one of them.
        """
        told: dict[int, Mapping[str, Any]] = {}
        for story, moved in sorted(changed.items()):
            found = story_articles.first_of_story(self._session, story)
            if found is None:
                continue
            first, is_noted = found
            story_articles.note_change(self._session, story, first.page_id)
            if is_noted:
                articles = story_articles.articles_with(self._session, story, moved, page_id)
            else:
                articles = story_articles.articles_of_story(self._session, story)
            told.update(self._told(first, articles))
        story_articles.tell(self._session, told)

    def _told(
        self, first: TellingArticle, articles: Iterable[TellingArticle]
    ) -> Iterator[tuple[int, Mapping[str, Any]]]:
        of_first = first_of(story_id(first.key), first.fetched_at, first.wire)
        articles = list(articles)
        wanted = {each.text_id for each in (first, *articles)}
        shingles = stories.shingles_of(self._session, wanted)
        for each in articles:
            story = of_first
            if each.page_id != first.page_id:
                own = shingles[each.text_id]
                story = follower_of(of_first, own, shingles[first.text_id], each.wire)
            yield each.page_id, story.model_dump(mode="json")
