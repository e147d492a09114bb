"""Stories of articles in memory."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from pydantic import ValidationError

from detourage.errors import ExpectedError
from detourage.messages import ArticleMessage
from stories.fingerprint import Fingerprint, fingerprint_of
from stories.grouping import StoryText, group_texts
from stories.messages import (
    Article,
    Story,
    StoryMessage,
    first_article,
    message_id,
    own_story,
    story_id,
)
from stories.overlap import overlap_of

_UNDATED = datetime(9000, 1, 1, tzinfo=UTC)
"""Time that represents an unknown fetch time, so that the article comes last."""


def find_stories(
    articles: Iterable[ArticleMessage | Mapping[str, Any]], days: float = 7
) -> list[StoryMessage]:
    """Group articles that repeat each other into stories.

    Parameters
    ----------
    articles
        Article messages. Of several revisions, the highest counts; withdrawn articles are left out.
    days
        Maximum number of days between the fetches of two articles that are compared.

    Returns
    -------
    list of StoryMessage
        One message for each article, in the order of the fetch times, which determines the first
        article of a story. Unlike the service, whose order is that of receipt, it trusts these
        times. Changes are left out.

    Raises
    ------
    ExpectedError
        If one of them is not an article message.
    """
    ordered = sorted(map(_Known, _latest(articles)), key=lambda each: each.order)
    texts: dict[bytes, list[_Known]] = defaultdict(list)
    for each in ordered:
        if each.fingerprint.is_comparable:
            texts[each.fingerprint.key].append(each)
    leaders: dict[bytes, bytes] = {}
    firsts = [found[0] for found in texts.values()]
    for compared in _connected_texts(firsts, timedelta(days=days)):
        leaders |= _leaders(compared)
    return [each.message(texts, leaders) for each in ordered]


def _latest(articles: Iterable[ArticleMessage | Mapping[str, Any]]) -> list[Article]:
    latest: dict[tuple[str, str], Article] = {}
    for each in articles:
        values = each.to_json() if isinstance(each, ArticleMessage) else each
        try:
            article = Article.model_validate(values)
        except ValidationError as error:
            raise ExpectedError(f"not an article message: {error}") from error
        page = (article.site, article.url)
        if page not in latest or latest[page].revision < article.revision:
            latest[page] = article
    return [each for each in latest.values() if each.withdrawn is None]


class _Known:
    """An article with its fingerprint and its place in the order."""

    def __init__(self, article: Article) -> None:
        self.article = article
        self.fingerprint: Fingerprint = fingerprint_of(article.text)
        self.at = article.fetched_at or _UNDATED
        self.order = (self.at, self.fingerprint.key, article.site.encode(), article.url.encode())

    def message(
        self, texts: Mapping[bytes, list["_Known"]], leaders: Mapping[bytes, bytes]
    ) -> StoryMessage:
        """Return the message about the article; the leader of a story has its first article."""
        article, key = self.article, self.fingerprint.key
        own = first_article(article.url, article.site, article.fetched_at)
        story = own_story(key, self.fingerprint.is_comparable, own, article.wire)
        first = texts[leaders[key]][0] if key in leaders else self
        if first is not self:
            overlap = overlap_of(self.fingerprint.shingles, first.fingerprint.shingles)
            source = first.article
            story = Story(
                story=story_id(leaders[key]),
                relation=overlap.relation,
                similarity=round(overlap.resemblance, 3),
                first=first_article(source.url, source.site, source.fetched_at),
                wire=article.wire,
            )
        return StoryMessage(
            **dict(story),
            id=message_id(article.id, 1),
            article=str(article.id),
            revision=article.revision,
            number=1,
            url=article.url,
            site=article.site,
            language=article.language,
            changes=None,
        )


def _connected_texts(texts: list[_Known], window: timedelta) -> list[list[_Known]]:
    """Divide texts into sets that hold all texts with a band in common within the window."""
    parents = list(range(len(texts)))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = place = parents[parents[place]]
        return place

    last_with: dict[int, int] = {}
    for place, text in enumerate(texts):
        for band in text.fingerprint.bands.tolist():
            other = last_with.get(band)
            if other is not None and text.at - texts[other].at <= window:
                parents[root(place)] = root(other)
            last_with[band] = place
    sets: dict[int, list[_Known]] = defaultdict(list)
    for place, text in enumerate(texts):
        sets[root(place)].append(text)
    return list(sets.values())


def _leaders(texts: list[_Known]) -> dict[bytes, bytes]:
    """Return the key of the leader of each text, by the text's key."""

    @cache
    def common(lower: int, higher: int) -> int:
        one, other = texts[lower].fingerprint, texts[higher].fingerprint
        return overlap_of(one.shingles, other.shingles).common

    known = {
        place: StoryText(
            each.fingerprint.key, len(each.fingerprint.shingles), each.article.site, each.at
        )
        for place, each in enumerate(texts)
    }
    groups = group_texts(known, lambda one, other: common(min(one, other), max(one, other)))
    keys = [each.fingerprint.key for each in texts]
    return {keys[each]: keys[leader] for leader, group in groups.items() for each in group}
