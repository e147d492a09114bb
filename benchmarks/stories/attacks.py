"""Hostile campaigns against the stories of honest articles, generated from a seed.

A campaign publishes pages on up to ten domains before, between and after the honest articles, dates
them as it likes, and changes and withdraws them. Its pages copy, shorten, compose and link the
honest articles' texts. A whole article may be copied before the service has received it, and parts
of it only afterwards.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Engine, text

from stories.outbox import lock_pending, note_published
from stories.service import group_articles
from tests.stories.grouped import NOON, WINDOW, Sent, store

HONEST_SITES = 12  # number of honest sites

MAX_DOMAINS = 10  # maximum number of domains of an attacker
ATTACKS_PER_CAMPAIGN = 8  # number of attacks per campaign


@dataclass(frozen=True)
class Version:
    """A page with a text, or without one if it is withdrawn; hostile pages have no `story`."""

    site: str
    path: str
    sentences: tuple[str, ...]
    story: int | None = None
    days_back: float = 0
    """Number of days by which the page's fetch time is backdated."""

    @property
    def url(self) -> str:
        """URL of the page."""
        return f"https://{self.site}/{self.path}"


def made_up_text(rng: random.Random, number: int, words: int = 14) -> tuple[str, ...]:
    """Return sentences of made-up words, by default 14 words each."""
    vocabulary = [
        "".join(rng.choices("bcdfghklmnprstvz", k=3)) + rng.choice(("a", "e", "io", "u"))
        for _ in range(400)
    ]
    return tuple(
        " ".join(rng.choices(vocabulary, k=words)).capitalize() + "." for _ in range(number)
    )


@dataclass
class Campaign:
    """The pages of a campaign, in the order in which they are received."""

    seed: int
    stories: int = 100
    attacks: int = ATTACKS_PER_CAMPAIGN
    versions: list[Version] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rng = rng = random.Random(self.seed)
        self._boilerplate = {
            f"paper{n}.example": made_up_text(rng, 1, 28) for n in range(HONEST_SITES)
        }
        self._texts = [made_up_text(rng, rng.randint(6, 18)) for _ in range(self.stories)]
        self._domains = [f"evil{n}.example" for n in range(rng.randint(1, MAX_DOMAINS))]
        self._paths = 0
        timed = [*self._honest_versions()]
        kinds = rng.choices(self._attack_kinds(), k=self.attacks)
        for kind in kinds:
            # Honest articles arrive from 0 to 1; attacks before, between, after, or throughout.
            earliest, latest = rng.choice(((-0.1, 0), (0, 1), (1, 1.1), (-0.1, 1.1)))
            pages = [*kind()]
            times = sorted(rng.uniform(earliest, latest) for _ in pages)
            timed += zip(times, pages, strict=True)
        self.versions = [
            *self._wait_for_copied_articles(
                [each for _, each in sorted(timed, key=lambda each: each[0])]
            )
        ]

    def _wait_for_copied_articles(self, versions: Sequence[Version]) -> Iterator[Version]:
        """Yield the versions, a hostile one after all articles from which it copies.

        In its place, a version of the same page with a made-up text is yielded. A copy of just one
        article, which is whole, is not held back.
        """
        story_of = {each: number for number, text in enumerate(self._texts) for each in text}
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
                copied = {story_of[sentence] for sentence in each.sentences if sentence in story_of}
                is_copy = len(copied) == 1 and {*self._texts[min(copied)]} <= {*each.sentences}
                if is_copy or copied <= received:
                    yield each
                else:
                    waiting.append(each)
            if waiting[-1:] == [version]:
                yield replace(version, sentences=made_up_text(self._rng, 6))

    def _honest_versions(self) -> Iterator[tuple[float, Version]]:
        """Yield the articles of each story, on one to three sites, with their times of arrival."""
        rng = self._rng
        for story, sentences in enumerate(self._texts):
            time = rng.random()
            papers = rng.sample(sorted(self._boilerplate), rng.choice((1, 1, 2, 3)))
            for index, paper in enumerate(papers):
                wording = sentences
                if index:
                    wording = (*made_up_text(rng, 1), *sentences[rng.randint(0, 1) :])
                    time = rng.uniform(time, 1)
                text = (*wording, *self._boilerplate[paper])
                yield time, Version(paper, f"{story}", text, story)

    def _page(self, sentences: Sequence[str], previous: Version | None = None) -> Version:
        """Return a hostile page with a text: a new one, or another version of `previous`."""
        self._paths += 1
        site, path = (
            (previous.site, previous.path)
            if previous is not None
            else (self._rng.choice(self._domains), f"p{self._paths}")
        )
        days_back = self._rng.choice((0, 0, 0.01, 1, 6))
        return Version(site, path, tuple(sentences), None, days_back)

    def _some_texts(self, most: int) -> list[tuple[str, ...]]:
        return self._rng.sample(self._texts, self._rng.randint(2, most))

    def _attack_kinds(self) -> Sequence[Callable[[], Iterator[Version]]]:
        """Return functions that each yield the pages of an attack, in order."""
        return (
            self._two_composed,
            self._many_composed,
            self._composed_after_many_of_one_site,
            self._copied_boilerplate,
            self._exact_copies,
            self._short_copies,
            self._drifting_copies,
            self._gradual_chain,
            self._changing_page,
        )

    def _two_composed(self) -> Iterator[Version]:
        """Publish a page composed of two articles on each of two domains."""
        one, other = self._rng.sample(self._texts, 2)
        for domain in self._domains[:2]:
            yield Version(domain, f"both{self._rng.random()}", (*one, *other))

    def _many_composed(self) -> Iterator[Version]:
        for _ in self._domains:
            yield self._page([each for text in self._some_texts(12) for each in text])

    def _composed_after_many_of_one_site(self) -> Iterator[Version]:
        """Publish composed pages, first many on one domain, then one on each other domain."""
        texts = self._rng.sample(self._texts, min(8, self.stories))
        pages = [(*one, *other) for one in texts for other in texts if one < other]
        for sentences in self._rng.sample(pages, min(14, len(pages))):
            yield Version(self._domains[0], f"many{self._rng.random()}", sentences)
        for domain, sentences in zip(self._domains[-8:], pages, strict=False):
            yield Version(domain, f"one{self._rng.random()}", sentences)

    def _copied_boilerplate(self) -> Iterator[Version]:
        boilerplate = self._rng.choice([*self._boilerplate.values()])
        yield self._page(boilerplate)
        for _ in self._domains:
            yield self._page((*boilerplate, *made_up_text(self._rng, self._rng.randint(0, 3))))

    def _exact_copies(self) -> Iterator[Version]:
        """Publish copies of articles, some with the boilerplate of an honest site."""
        for sentences in self._some_texts(12):
            yield self._page((*sentences, *self._rng.choice([(), *self._boilerplate.values()])))

    def _short_copies(self) -> Iterator[Version]:
        """Publish twenty short excerpts of one article."""
        sentences = self._rng.choice(self._texts)
        for _ in range(20):
            begin = self._rng.randrange(len(sentences) - 2)
            yield self._page(sentences[begin : begin + self._rng.randint(2, 4)])

    def _drifting_copies(self) -> Iterator[Version]:
        """Publish copies of an article that turn, step by step, into another article."""
        goal, *copied = self._some_texts(3)
        pages = [self._page(copied[0]) for _ in self._domains]
        yield from pages
        for share in (0.2, 0.4, 0.6, 0.8, 1):
            for page in pages:
                kept = copied[0][int(share * len(copied[0])) :]
                yield self._page((*kept, *goal[: int(share * len(goal))]), page)

    def _gradual_chain(self) -> Iterator[Version]:
        """Publish nine texts that lead, step by step, from one article to another."""
        one, other = self._rng.sample(self._texts, 2)
        for step in range(1, 10):
            kept = one[step * len(one) // 10 :]
            yield self._page((*kept, *other[: step * len(other) // 10]))

    def _changing_page(self) -> Iterator[Version]:
        """Change a page repeatedly: to other texts, to none, or to several articles combined."""
        page = self._page(self._rng.choice(self._texts))
        yield page
        for _ in range(5):
            kept = [each for text in self._some_texts(3) for each in text]
            yield self._page(self._rng.choice((kept, (), made_up_text(self._rng, 8))), page)


@dataclass
class Damage:
    """Numbers of honest stories merged and split, and of corrections to honest articles.

    Corrections by which an article becomes the first of its story, because an earlier hostile copy
    has left the story, are not counted.
    """

    merged: int = 0
    split: int = 0
    corrections: int = 0


def delete_all(engine: Engine) -> None:
    """Remove all articles and stories."""
    with engine.begin() as connection:
        connection.execute(text("TRUNCATE stories.articles, stories.stories CASCADE"))
        connection.execute(text("TRUNCATE pages, sites CASCADE"))


def run(engine: Engine, versions: Sequence[Version]) -> Damage:
    """Group articles as the service does, one by one, and return the damage to honest stories."""
    revisions = _to_revisions(versions)
    store(engine, revisions)
    honest = {each.url: each for each in versions if each.story is not None}
    damage, story_of = Damage(), {}
    for each in revisions:
        group_articles(engine, [each.message()], WINDOW)
        with engine.begin() as connection:
            connection.execute(text("UPDATE stories.articles SET correct_after = NULL"))
            rows = lock_pending(connection)
            note_published(connection, [row.page for row in rows])
        for message in (row.pending for row in rows):
            story_of[message["url"]] = message["story"]
            if message["number"] > 1 and message["relation"] and message["url"] in honest:
                damage.corrections += 1
    ids_of_story: dict[int, set[str]] = {}
    for url, version in honest.items():
        ids_of_story.setdefault(version.story or 0, set()).add(story_of[url])
    all_ids = [each for ids in ids_of_story.values() for each in ids]
    damage.split = sum(len(each) > 1 for each in ids_of_story.values())
    damage.merged = len(all_ids) - len(set(all_ids))
    return damage


def _to_revisions(versions: Sequence[Version]) -> list[Sent]:
    """Return the revisions of a campaign's pages, received at intervals of a minute."""
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
