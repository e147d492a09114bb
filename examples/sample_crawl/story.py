"""The stories of a site, which are independent of the pages that show them."""

import random
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cached_property
from typing import Literal

from examples.sample_crawl.language import Voice, stream
from examples.sample_crawl.site import Site

Kind = Literal["news", "opinion"]
PassageKind = Literal["paragraph", "heading", "list_item", "quote"]

_FIRST_STORY = datetime(2023, 11, 6, 5, 30)  # noqa: DTZ001 - local time; each design says its zone
_STORY_INTERVAL = timedelta(hours=4, minutes=30)

FIRST_SPECIAL = -100_000
"""Number of the first special report, far below the numbers of the stories in any list."""


@dataclass(frozen=True)
class Passage:
    """A passage of an article's body."""

    kind: PassageKind
    text: str


@dataclass(frozen=True)
class Picture:
    """A picture with its caption."""

    number: int
    alt: str
    caption: str
    credit: str


@dataclass(frozen=True)
class Story:
    """A story, which depends only on its site, the seed and its number.

    Stories with negative numbers are older than the crawl: they are listed, but have no page.
    """

    site: Site
    seed: int
    number: int

    def _stream(self, part: str) -> random.Random:
        return stream(self.seed, self.site.domain, "story", self.number, part)

    @property
    def kind(self) -> Kind:
        """Kind of the story; every other story is an opinion piece."""
        return "opinion" if self.number % 2 else "news"

    @cached_property
    def topic(self) -> str:
        """Key of the story's topic."""
        return self._stream("topic").choice(list(self.site.language.topics))

    @cached_property
    def published(self) -> datetime:
        """Time of publication, in the site's time zone."""
        jitter = timedelta(minutes=self._stream("time").randrange(240))
        # Special reports are as old as the crawl, regardless of their numbers.
        number = self.number if self.number > FIRST_SPECIAL else 0
        moment = _FIRST_STORY + number * _STORY_INTERVAL + jitter
        return moment.replace(tzinfo=timezone(timedelta(hours=self.site.utc_offset)))

    @cached_property
    def _cast(self) -> Mapping[str, str]:
        return self.site.language.voice(self._stream("cast"), self.topic).cast

    def voice(self, rng: random.Random) -> Voice:
        """Return a new voice for a part of the story, unaffected by the other parts."""
        return self.site.language.voice(rng, self.topic, self._cast)

    @cached_property
    def title(self) -> str:
        """The headline."""
        return self.expand("title", "opinion_headline" if self.kind == "opinion" else ".headline")

    @cached_property
    def lead(self) -> str:
        """One or two sentences below the headline, which also serve as the teaser in lists."""
        return self.expand("lead", "opinion_lead" if self.kind == "opinion" else "lead")

    @cached_property
    def slug(self) -> str:
        """The headline in characters allowed in URLs; empty if it contains none."""
        decomposed = unicodedata.normalize("NFKD", self.title.replace("ł", "l"))
        words = re.findall(r"[a-z0-9]+", decomposed.encode("ascii", "ignore").decode().lower())
        return "-".join(words[:9])

    @cached_property
    def authors(self) -> tuple[str, ...]:
        """The authors, who are members of the site's staff."""
        voice = self.site.language.voice(stream(self.seed, self.site.domain, "staff"))
        staff = [voice.expand("staff") for _ in range(9)]
        rng = self._stream("authors")
        has_two_authors = self.kind == "news" and rng.random() < 0.2
        return tuple(rng.sample(staff, 2 if has_two_authors else 1))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The keywords of the story."""
        rng = self._stream("tags")
        voice = self.voice(rng)
        return tuple(dict.fromkeys(voice.expand(".tag") for _ in range(rng.randint(2, 5))))

    @cached_property
    def body(self) -> tuple[Passage, ...]:
        """The passages of the article, without the lead."""
        rng = self._stream("body")
        generate_body = _write_opinion if self.kind == "opinion" else _write_news
        return tuple(generate_body(self.voice(rng), rng, self.site.language.word_space))

    @property
    def mentions(self) -> tuple[str, ...]:
        """The names in the text that a content management system would link."""
        return tuple(self._cast[role] for role in ("expert", "official", "town", "agency"))

    @cached_property
    def main_picture(self) -> Picture:
        """The picture at the top of the article and next to teasers."""
        return self.picture(0)

    def picture(self, position: int) -> Picture:
        """Return the picture at ``position``, where 0 is the main picture."""
        rng = self._stream(f"picture-{position}")
        voice = self.voice(rng)
        caption = voice.expand("caption")
        return Picture(
            number=rng.randrange(100_000, 1_000_000),
            alt=caption.rstrip(".。") if rng.random() < 0.5 else self.title,
            caption=caption,
            credit=voice.expand("credit"),
        )

    def expand(self, part: str, rule: str) -> str:
        """Return an expansion of a rule; each part of the story has its own random stream."""
        return self.voice(self._stream(part)).expand(rule)


def _write_news(voice: Voice, rng: random.Random, space: str) -> Iterator[Passage]:
    count = rng.randint(7, 15)
    heading_every = rng.choice([0, 3, 4])
    list_after = rng.randrange(2, count) if rng.random() < 0.25 else 0
    yield Passage("paragraph", space.join([voice.expand("opening"), voice.expand("detail")]))
    for position in range(1, count):
        if heading_every and position % heading_every == 0:
            yield Passage("heading", voice.expand("heading"))
        if position == list_after:
            yield Passage("paragraph", voice.expand("list_intro"))
            for _ in range(rng.randint(3, 4)):
                yield Passage("list_item", voice.expand("list_item"))
        yield Passage("paragraph", voice.expand("paragraph"))
    yield Passage("paragraph", voice.expand("closing"))


def _write_opinion(voice: Voice, rng: random.Random, space: str) -> Iterator[Passage]:
    count = rng.randint(6, 12)
    quote_after = rng.randrange(1, count) if rng.random() < 0.4 else 0
    yield Passage(
        "paragraph", space.join([voice.expand("opinion_opening"), voice.expand("argument")])
    )
    for position in range(1, count):
        if position == quote_after:
            yield Passage("quote", voice.expand("quote"))
        yield Passage("paragraph", voice.expand("opinion_paragraph"))
    yield Passage("paragraph", voice.expand("opinion_closing"))


class Newsroom:
    """The stories of a site."""

    def __init__(self, site: Site, seed: int) -> None:
        self._site = site
        self._seed = seed
        self._stories: dict[int, Story] = {}

    def story(self, number: int) -> Story:
        """Return story ``number``."""
        if number not in self._stories:
            self._stories[number] = Story(self._site, self._seed, number)
        return self._stories[number]

    def latest(self, before: int, count: int, *, topic: str | None = None) -> list[Story]:
        """Return the ``count`` stories that precede story ``before``, newest first."""
        stories: list[Story] = []
        number = before
        while len(stories) < count:
            number -= 1
            story = self.story(number)
            if topic is None or story.topic == topic:
                stories.append(story)
        return stories
