"""Evidence for a wall: wall phrases in the extracted text, the headlines and the page."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, reduce
from itertools import chain
from operator import or_
from pathlib import Path
from typing import Final, NamedTuple, Self

import numpy as np

from detourage.article import Article
from detourage.html import Page
from detourage.html.flat import FlatDocument
from detourage.inference import Features, Number
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline
from detourage.text.caches import cached_if_short
from detourage.text.words import tokens

MAX_WORDS: Final = 1_000  # words examined in a text
MIN_PROSE: Final = 12  # length, in words, of a line that can be a sentence of an article
MIN_LINE: Final = 2  # length, in words, of a line whose coverage is measured
MAX_REPORT_COVERAGE: Final = 0.4  # share of a line that wall phrases cover in a report about them

ADDRESSING: Final = ("you", "we")
"""Concepts that address the reader, which indicate a wall but do not name one."""

_HEADINGS: Final = ("h1", "h2", "h3")
_CHALLENGES: Final = (
    *("captcha", "challenge", "turnstile", "datadome", "perimeterx", "_incapsula_", "akam/"),
    *("px-cdn", "geetest"),
)
_CONSENT: Final = (
    *("sp_message", "sourcepoint", "onetrust", "didomi", "usercentrics", "quantcast"),
    *("consentmanager", "cookiebot", "trustarc", "fundingchoices"),
)
_MAX_VALUE: Final = 300
_MAX_COUNTED: Final = 5_000
_QUOTES: Final = '"“”«»„「」'
_SENTENCE_ENDS: Final = ".!?…。！？।؟\"'”»)]"


class Line(NamedTuple):
    """Bit masks of the concepts of a line's words, their union, and the number of covered words."""

    marks: Sequence[int]
    concepts: int
    covered: int

    @classmethod
    def of(cls, words: Sequence[str]) -> Self:
        """Mark the words of a line."""
        marks, walls = shipped_lexicon().marks(words), _walls()
        concepts = reduce(or_, marks, 0)
        covered = sum(1 for mark in marks if mark & walls) if concepts & walls else 0
        return cls(marks, concepts, covered)

    @property
    def coverage(self) -> float:
        """Share of the words covered by wall phrases; 0 for a very short line."""
        return self.covered / len(self.marks) if len(self.marks) >= MIN_LINE else 0.0


class ExaminedPage(NamedTuple):
    """The examined parts of a page: texts, and features that do not depend on the lexicon.

    `text` holds the lines of the article, `heads` its title, the page's title and the first
    headings, and `shown` the lines of the page that are not links.
    """

    text: Sequence[str]
    heads: Sequence[str]
    shown: Sequence[str]
    numbers: Sequence[Number]

    @classmethod
    def of(cls, page: Page, article: Article | None) -> Self:
        """Collect the parts of a page to examine."""
        outline = Outline.of(page.flat)
        headings = np.flatnonzero(outline.flat.having(_HEADINGS))[:3].tolist()
        return cls(
            article.text.split("\n") if article is not None else (),
            [*_titles_of(page.flat, article), *map(outline.text_of, headings)],
            [each.text for each in lines_of(outline) if 2 * each.linked <= len(each.tokens)],
            [*_article_numbers(article), *_markup_numbers(page)],
        )

    def without_surroundings(self) -> Self:
        """Return the page as if it showed only its title, the article's title and the text."""
        heads = self.heads[:2]
        return self._replace(heads=heads, shown=[*heads, *self.text])


class Evidence(NamedTuple):
    """The evidence on a page, as a row for the wall model, and the weight of each concept."""

    features: Features
    weights: dict[str, float]


def wall_evidence(page: ExaminedPage) -> Evidence:
    """Compute the features that distinguish a wall from an article, as one row."""
    concepts = shipped_lexicon().concepts
    parts = {"text": _lines(page.text), "heads": _lines(page.heads), "page": _lines(page.shown)}
    shares = {name: _shares(lines) for name, lines in parts.items()}
    weights = {
        concept: shares["heads"][bit] + shares["text"][bit] + 0.5 * shares["page"][bit]
        for bit, concept in enumerate(concepts)
    }
    numbers: list[Number] = []
    for name, lines in parts.items():
        numbers += _line_numbers(name, lines)
        columns = [f"{name}_{concept}" for concept in concepts]
        numbers += zip(columns, shares[name], strict=True)
    numbers += page.numbers
    return Evidence(Features.of((name, [number]) for name, number in numbers), weights)


def headline_coverage(page: Page, article: Article | None) -> float:
    """Return the share of the page's title, or the article's, that wall phrases cover."""
    lines = _lines(_titles_of(page.flat, article))
    return max((line.coverage for line in lines), default=0.0)


def reports_on_wall(page: ExaminedPage) -> bool:
    """Return whether a text reports on what a wall would say: "Log-in problems at savings bank".

    All its headlines mention the concept, no line consists mostly of it, and no line that mentions
    it addresses the reader.
    """
    heads, lines = _lines(page.heads), _lines(page.text)
    named = reduce(or_, (line.concepts for line in lines), 0) & _walls()
    reader = 1 << shipped_lexicon().concepts.index("you")
    return (
        bool(heads)
        and all(line.concepts & named for line in heads)
        and not any(line.concepts & named and line.concepts & reader for line in heads + lines)
        and all(line.coverage < MAX_REPORT_COVERAGE for line in heads + lines)
    )


def has_prose(texts: Iterable[str]) -> bool:
    """Return whether any of the lines can be a sentence of an article."""
    return any(len(line.marks) >= MIN_PROSE for line in _lines(texts))


@cache
def _walls() -> int:
    """Return a bit mask of all concepts except those that address the reader."""
    concepts = shipped_lexicon().concepts
    return sum(1 << bit for bit, name in enumerate(concepts) if name not in ADDRESSING)


def _lines(texts: Iterable[str]) -> list[Line]:
    left, found = MAX_WORDS, []
    for text in texts:
        words = tokens(text[: 20 * MAX_WORDS])[:left]
        if words:
            found.append(Line.of(words))
            left -= len(words)
        if left <= 0:
            break
    return found


def _titles_of(document: FlatDocument, article: Article | None) -> list[str]:
    """Return the first text of a page's title and the title of its article, if any."""
    inside = np.flatnonzero(document.having(("title",))[document.text_parents])
    titles = [document.texts[place] for place in inside[:1].tolist()]
    return [*titles, article.title] if article is not None and article.title else titles


def _shares(lines: Sequence[Line]) -> list[float]:
    """Return, for each concept, the share of words that its phrases cover."""
    total = sum(len(line.marks) for line in lines)
    covered = Counter(mark for line in lines if line.concepts for mark in line.marks)
    return [
        sum(count for mark, count in covered.items() if mark >> bit & 1) / max(1, total)
        for bit in range(len(shipped_lexicon().concepts))
    ]


def _line_numbers(name: str, lines: Sequence[Line]) -> Iterator[Number]:
    walls = _walls()
    words = sum(len(line.marks) for line in lines)
    covered = sum(line.covered for line in lines)
    marked = [line for line in lines if line.concepts & walls]
    addressed = [line for line in lines if line.concepts & ~walls]
    both = [line for line in marked if line.concepts & ~walls]
    several = [line for line in lines if (line.concepts & walls).bit_count() > 1]
    prose = [line for line in lines if len(line.marks) >= MIN_PROSE]
    plain = [line for line in prose if line.coverage < 0.1]
    silent = [line for line in plain if not line.concepts & ~walls]
    yield f"{name}_words", float(words)
    yield f"{name}_lines", float(len(lines))
    yield f"{name}_covered", covered / max(1, words)
    for kind, some in (
        *(("marked", marked), ("addressed", addressed), ("both", both), ("several", several)),
        *(("prose", prose), ("plain", plain), ("silent", silent)),
    ):
        size = sum(len(line.marks) for line in some)
        yield f"{name}_{kind}", float(size)
        yield f"{name}_{kind}_share", size / max(1, words)
    yield f"{name}_highest", max((line.coverage for line in lines), default=0.0)
    yield f"{name}_first", lines[0].coverage if lines else 0.0


def _article_numbers(article: Article | None) -> Iterator[Number]:
    metadata = article.metadata if article is not None else None
    text = article.text.rstrip() if article is not None else ""
    yield "has_article", float(article is not None)
    yield "confidence", article.confidence if article is not None else -1.0
    yield "is_shown", float(article is not None and article.method == "lines")
    yield "is_listing", float(metadata is not None and metadata.kind != "article")
    yield "has_date", float(metadata is not None and metadata.published is not None)
    yield "has_author", float(metadata is not None and bool(metadata.authors))
    paid = metadata.is_paid if metadata is not None else None
    yield "is_paid", -1.0 if paid is None else float(paid)
    yield "ends_whole", float(text[-1:] in _SENTENCE_ENDS) if text else -1.0
    yield "ends_in_dots", float(text.endswith(("...", "…", "[…]", "[...]")))
    beginning = text[:_MAX_COUNTED]
    numerals = sum(character.isdigit() for character in beginning)
    quotes = sum(beginning.count(mark) for mark in _QUOTES)
    yield "numerals", numerals / max(1, len(beginning))
    yield "quotes", quotes / max(1, len(beginning))


def _markup_numbers(page: Page) -> Iterator[Number]:
    attributes = page.flat.attributes
    types = attributes.named("type")[1]
    yield "passwords", float(sum(each.strip().lower() == "password" for each in types))
    contents = dict(zip(*attributes.named("content"), strict=True))
    robots = [
        contents.get(owner, "")
        for owner, name in zip(*attributes.named("name"), strict=True)
        if name.strip().lower() == "robots"
    ]
    yield "noindex", float(any("noindex" in each.lower() for each in robots))
    values = "\n".join(value[:_MAX_VALUE] for value in attributes.values).lower()
    yield "challenges", float(any(name in values for name in _CHALLENGES))
    yield "consents", float(any(name in values for name in _CONSENT))


LONGEST_STEM: Final = 16  # Maximum length of a stem, in characters


class Lexicon:
    """Phrases for several concepts, matched in linear time; ``remov*`` matches a stem."""

    def __init__(self, phrases: dict[str, list[str]]) -> None:
        self.concepts = tuple(phrases)
        self._by_first: defaultdict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for bit, concept in enumerate(self.concepts):
            for phrase in phrases[concept]:
                first, *rest = _pieces(phrase)
                self._by_first[first].append((1 << bit, tuple(rest)))
        self._stems = sorted({len(key) - 1 for key in self._by_first if key.endswith("*")})
        # Most words of a text are repeated and occur in no phrase.
        self._beginning = cached_if_short(20_000)(self._look_up)

    def marks(self, words: Sequence[str]) -> list[int]:
        """Return, for each word, a bit mask of the concepts whose phrases cover it."""
        found = [0] * len(words)
        for place, word in enumerate(words):
            for bit, rest in self._beginning(word):
                end = place + 1 + len(rest)
                if end <= len(words) and all(
                    word.startswith(piece[:-1]) if piece.endswith("*") else word == piece
                    for piece, word in zip(rest, words[place + 1 : end], strict=True)
                ):
                    for covered in range(place, end):
                        found[covered] |= bit
        return found

    def _look_up(self, word: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
        stems = (f"{word[:size]}*" for size in self._stems if size <= len(word))
        return tuple(chain.from_iterable(self._by_first.get(key, ()) for key in (word, *stems)))


def _pieces(phrase: str) -> list[str]:
    pieces: list[str] = []
    for word in phrase.split():
        pieces += tokens(word.rstrip("*"))
        if word.endswith("*"):
            pieces[-1] = f"{pieces[-1][:LONGEST_STEM]}*"
    return pieces


@cache
def shipped_lexicon() -> Lexicon:
    """Return the lexicon with which the wall model was trained."""
    path = Path(__file__).with_name("lexicon.json")
    return Lexicon(json.loads(path.read_text(encoding="utf-8")))
