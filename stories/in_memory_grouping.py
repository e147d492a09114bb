"""Grouping of articles in memory into stories, without a database."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from pydantic import ValidationError

from detourage.expected_errors import ExpectedError
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

_UNKNOWN_TIME = datetime(9000, 1, 1, tzinfo=UTC)
"""Substitute for an unknown fetch time, which puts the article last."""


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
        One message for each article, in the order of the fetch times. The first article of a story
        is the one fetched earliest. (The service uses the order of receipt instead, because it does
        not trust the fetch times.) `changes` is always None.

    Raises
    ------
    ExpectedError
        If an item is not an article message.
    """
    ordered = sorted(map(_Entry, _latest_revisions(articles)), key=lambda each: each.order)
    by_text: dict[bytes, list[_Entry]] = defaultdict(list)
    for each in ordered:
        if each.fingerprint.is_comparable:
            by_text[each.fingerprint.key].append(each)
    leader_keys: dict[bytes, bytes] = {}
    distinct = [copies[0] for copies in by_text.values()]
    for candidates in _components(distinct, timedelta(days=days)):
        leader_keys |= _leader_keys(candidates)
    return [each.message(by_text, leader_keys) for each in ordered]


def _latest_revisions(articles: Iterable[ArticleMessage | Mapping[str, Any]]) -> list[Article]:
    """Return the latest revision of each page's article, unless the article is withdrawn."""
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


class _Entry:
    """An article with its fingerprint and its sort key (`order`)."""

    def __init__(self, article: Article) -> None:
        self.article = article
        self.fingerprint: Fingerprint = fingerprint_of(article.text)
        self.fetched_at = article.fetched_at or _UNKNOWN_TIME
        self.order = (
            self.fetched_at,
            self.fingerprint.key,
            article.site.encode(),
            article.url.encode(),
        )

    def message(
        self, by_text: Mapping[bytes, list["_Entry"]], leader_keys: Mapping[bytes, bytes]
    ) -> StoryMessage:
        """Return the message about the article, given the articles and the leader of each text.

        The first article of a story is the earliest one with the text of the story's leader.
        """
        article, key = self.article, self.fingerprint.key
        own = first_article(article.url, article.site, article.fetched_at)
        story = own_story(key, self.fingerprint.is_comparable, own, article.wire)
        first = by_text[leader_keys[key]][0] if key in leader_keys else self
        if first is not self:
            overlap = overlap_of(self.fingerprint.shingles, first.fingerprint.shingles)
            repeated = first.article
            story = Story(
                story=story_id(leader_keys[key]),
                relation=overlap.relation,
                similarity=round(overlap.resemblance, 3),
                first=first_article(repeated.url, repeated.site, repeated.fetched_at),
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


def _components(texts: list[_Entry], window: timedelta) -> list[list[_Entry]]:
    """Divide texts into sets such that only texts of the same set may repeat each other.

    Texts that share a band of their signatures, and were fetched within the window, are in the same
    set. The sets are found with a union-find structure.
    """
    parents = list(range(len(texts)))

    def root(i: int) -> int:
        while parents[i] != i:
            parents[i] = i = parents[parents[i]]
        return i

    last_by_band: dict[int, int] = {}
    for i, text in enumerate(texts):
        for band in text.fingerprint.bands.tolist():
            other = last_by_band.get(band)
            if other is not None and text.fetched_at - texts[other].fetched_at <= window:
                parents[root(i)] = root(other)
            last_by_band[band] = i
    sets: dict[int, list[_Entry]] = defaultdict(list)
    for i, text in enumerate(texts):
        sets[root(i)].append(text)
    return list(sets.values())


def _leader_keys(texts: list[_Entry]) -> dict[bytes, bytes]:
    """Group texts into stories, and return the key of the leader's text by the key of each text."""

    @cache
    def common(lower: int, higher: int) -> int:
        one, other = texts[lower].fingerprint, texts[higher].fingerprint
        return overlap_of(one.shingles, other.shingles).common

    story_texts = {
        i: StoryText(
            each.fingerprint.key, len(each.fingerprint.shingles), each.article.site, each.fetched_at
        )
        for i, each in enumerate(texts)
    }
    groups = group_texts(story_texts, lambda one, other: common(min(one, other), max(one, other)))
    keys = [each.fingerprint.key for each in texts]
    return {keys[i]: keys[leader] for leader, group in groups.items() for i in group}
