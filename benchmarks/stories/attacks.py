"""Hostile campaigns against the stories of honest articles, generated from a seed.

A campaign publishes pages on up to ten domains before, between and after the honest articles, dates
them as it likes, and changes and withdraws them. Its pages copy, shorten, compose and link the
texts of the honest articles, whole articles even before the service has received them, and parts
afterwards.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Engine, text

from stories.service import group_articles
from stories.telling import lock_pending, note_published
from tests.stories.grouped import NOON, WINDOW, Sent, store

PAPERS = 12
"""Number of honest sites."""

MAX_DOMAINS = 10
ATTACKS = 8
"""Number of attacks per campaign."""


@dataclass(frozen=True)
class Version:
    """A page with a text, or without one if it is withdrawn; hostile pages have no `story`."""

    site: str
    path: str
    sentences: tuple[str, ...]
    story: int | None = None
    days_back: float = 0
    """Number of days by which its fetch time is backdated."""

    @property
    def url(self) -> str:
        """URL of the page."""
        return f"https://{self.site}/{self.path}"


def prose(chance: random.Random, number: int, words: int = 14) -> tuple[str, ...]:
    """Return sentences of made-up words, 14 each unless given."""
    known = [
        "".join(chance.choices("bcdfghklmnprstvz", k=3)) + chance.choice(("a", "e", "io", "u"))
        for _ in range(400)
    ]
    return tuple(" ".join(chance.choices(known, k=words)).capitalize() + "." for _ in range(number))


@dataclass
class Campaign:
    """The pages of a campaign, in the order in which they are received."""

    seed: int
    stories: int = 100
    attacks: int = ATTACKS
    versions: list[Version] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._chance = chance = random.Random(self.seed)
        self._standing = {f"paper{n}.example": prose(chance, 1, 28) for n in range(PAPERS)}
        self._texts = [prose(chance, chance.randint(6, 18)) for _ in range(self.stories)]
        self._domains = [f"evil{n}.example" for n in range(chance.randint(1, MAX_DOMAINS))]
        self._paths = 0
        timed = [*self._honest()]
        kinds = chance.choices(self._kinds(), k=self.attacks)
        for kind in kinds:
            # Before all, between, after all, or everywhere.
            first, last = chance.choice(((-0.1, 0), (0, 1), (1, 1.1), (-0.1, 1.1)))
            pages = [*kind()]
            times = sorted(chance.uniform(first, last) for _ in pages)
            timed += zip(times, pages, strict=True)
        self.versions = [
            *self._known([each for _, each in sorted(timed, key=lambda each: each[0])])
        ]

    def _known(self, versions: Sequence[Version]) -> Iterator[Version]:
        """Yield hostile pages with another text until they can know the articles in their texts.

        A copy of a whole article may arrive before the article.
        """
        stories = {each: number for number, text in enumerate(self._texts) for each in text}
        received: set[int] = set()
        waiting: list[Version] = []
        for version in versions:
            if version.story is not None:
                received.add(version.story)
                yield version
            else:
                waiting.append(version)
            pages, waiting = waiting, []
            for each in pages:
                copied = {stories[sentence] for sentence in each.sentences if sentence in stories}
                is_copy = len(copied) == 1 and {*self._texts[min(copied)]} <= {*each.sentences}
                if is_copy or copied <= received:
                    yield each
                else:
                    waiting.append(each)
            if waiting[-1:] == [version]:
                yield replace(version, sentences=prose(self._chance, 6))

    def _honest(self) -> Iterator[tuple[float, Version]]:
        chance = self._chance
        for number, sentences in enumerate(self._texts):
            at = chance.random()
            papers = chance.sample(sorted(self._standing), chance.choice((1, 1, 2, 3)))
            for place, paper in enumerate(papers):
                own = sentences
                if place:
                    own = (*prose(chance, 1), *sentences[chance.randint(0, 1) :])
                    at = chance.uniform(at, 1)
                text = (*own, *self._standing[paper])
                yield at, Version(paper, f"{number}", text, number)

    def _page(self, sentences: Sequence[str], like: Version | None = None) -> Version:
        """Return a new page, or another version of a page."""
        self._paths += 1
        site, path = (
            (like.site, like.path)
            if like is not None
            else (self._chance.choice(self._domains), f"p{self._paths}")
        )
        back = self._chance.choice((0, 0, 0.01, 1, 6))
        return Version(site, path, tuple(sentences), None, back)

    def _some(self, most: int) -> list[tuple[str, ...]]:
        return self._chance.sample(self._texts, self._chance.randint(2, most))

    def _kinds(self) -> Sequence[Callable[[], Iterator[Version]]]:
        return (
            self._two_composed,
            self._many_composed,
            self._composed_after_many_of_one_site,
            self._standing_text,
            self._exact_copies,
            self._short_copies,
            self._drifting_copies,
            self._chain,
            self._changing,
        )

    def _two_composed(self) -> Iterator[Version]:
        one, other = self._chance.sample(self._texts, 2)
        for domain in self._domains[:2]:
            yield Version(domain, f"both{self._chance.random()}", (*one, *other))

    def _many_composed(self) -> Iterator[Version]:
        for _ in self._domains:
            yield self._page([each for text in self._some(12) for each in text])

    def _composed_after_many_of_one_site(self) -> Iterator[Version]:
        texts = self._chance.sample(self._texts, min(8, self.stories))
        pages = [(*one, *other) for one in texts for other in texts if one < other]
        for sentences in self._chance.sample(pages, min(14, len(pages))):
            yield Version(self._domains[0], f"many{self._chance.random()}", sentences)
        for domain, sentences in zip(self._domains[-8:], pages, strict=False):
            yield Version(domain, f"one{self._chance.random()}", sentences)

    def _standing_text(self) -> Iterator[Version]:
        standing = self._chance.choice([*self._standing.values()])
        yield self._page(standing)
        for _ in self._domains:
            yield self._page((*standing, *prose(self._chance, self._chance.randint(0, 3))))

    def _exact_copies(self) -> Iterator[Version]:
        for sentences in self._some(12):
            yield self._page((*sentences, *self._chance.choice([(), *self._standing.values()])))

    def _short_copies(self) -> Iterator[Version]:
        sentences = self._chance.choice(self._texts)
        for _ in range(20):
            begin = self._chance.randrange(len(sentences) - 2)
            yield self._page(sentences[begin : begin + self._chance.randint(2, 4)])

    def _drifting_copies(self) -> Iterator[Version]:
        goal, *copied = self._some(3)
        pages = [self._page(copied[0]) for _ in self._domains]
        yield from pages
        for share in (0.2, 0.4, 0.6, 0.8, 1):
            for page in pages:
                kept = copied[0][int(share * len(copied[0])) :]
                yield self._page((*kept, *goal[: int(share * len(goal))]), page)

    def _chain(self) -> Iterator[Version]:
        one, other = self._chance.sample(self._texts, 2)
        for step in range(1, 10):
            kept = one[step * len(one) // 10 :]
            yield self._page((*kept, *other[: step * len(other) // 10]))

    def _changing(self) -> Iterator[Version]:
        page = self._page(self._chance.choice(self._texts))
        yield page
        for _ in range(5):
            kept = [each for text in self._some(3) for each in text]
            yield self._page(self._chance.choice((kept, (), prose(self._chance, 8))), page)


@dataclass
class Damage:
    """Numbers of honest stories merged and split, and of corrections to honest articles.

    Not counted are corrections by which an article becomes the first of its story, because a
    hostile copy that was received before has left it.
    """

    merged: int = 0
    split: int = 0
    corrections: int = 0


def clear(engine: Engine) -> None:
    """Remove all articles and stories."""
    with engine.begin() as connection:
        connection.execute(text("TRUNCATE stories.articles, stories.stories CASCADE"))
        connection.execute(text("TRUNCATE pages, sites CASCADE"))


def run(engine: Engine, versions: Sequence[Version]) -> Damage:
    """Group articles as the service does, one by one, and return the damage to honest stories."""
    sent = _sent(versions)
    store(engine, sent)
    honest = {each.url: each for each in versions if each.story is not None}
    damage, story_of = Damage(), {}
    for each in sent:
        group_articles(engine, [each.message()], WINDOW)
        with engine.begin() as connection:
            connection.execute(text("UPDATE stories.articles SET correct_after = NULL"))
            rows = lock_pending(connection)
            note_published(connection, [row.page for row in rows])
        for message in (row.pending for row in rows):
            story_of[message["url"]] = message["story"]
            if message["number"] > 1 and message["relation"] and message["url"] in honest:
                damage.corrections += 1
    of_story: dict[int, set[str]] = {}
    for url, version in honest.items():
        of_story.setdefault(version.story or 0, set()).add(story_of[url])
    all_ids = [each for found in of_story.values() for each in found]
    damage.split = sum(len(each) > 1 for each in of_story.values())
    damage.merged = len(all_ids) - len(set(all_ids))
    return damage


def _sent(versions: Sequence[Version]) -> list[Sent]:
    """Return the revisions of a campaign's pages, one a minute."""
    revisions: dict[str, int] = {}
    sent = []
    for number, each in enumerate(versions):
        revisions[each.url] = revisions.get(each.url, 0) + 1
        values = {} if each.sentences else {"withdrawn": NOON.isoformat()}
        sent.append(
            Sent(
                each.site,
                "\n\n".join(each.sentences),
                number - 24 * 60 * each.days_back,
                each.path,
                revisions[each.url],
                number,
                values,
            )
        )
    return sent
