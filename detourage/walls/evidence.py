"""Evidence for a wall: wall phrases in the extracted text, the headlines and the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage import core
from detourage.article import Article
from detourage.html import Page
from detourage.html.flat import Booleans, FlatDocument, Integers
from detourage.reader.lines import line_columns
from detourage.reader.outline import Outline
from detourage.records import record
from detourage.text.shipped import shipped_json
from detourage.text.token_counts import Trait, character_tables

if TYPE_CHECKING:
    from detourage.inference import Features, Number

MAX_WORDS: Final = 1_000  # words examined in a text
MIN_PROSE_WORDS: Final = 12  # words in a line that can be a sentence of an article
MIN_SNIPPET_WORDS: Final = 6  # words in such a line if the page displays nothing but the text
MIN_COVERED_LINE_WORDS: Final = 2  # words in a line whose coverage is measured
# Coverage is the share of a line's words that belong to wall phrases.
MAX_REPORT_COVERAGE: Final = 0.4  # coverage of a line in a report about walls
MAX_PLAIN_COVERAGE: Final = 0.1  # coverage of a plain line, as a feature of the model
MIN_PLAIN_LINES: Final = 3  # lines without any phrase that suffice for an article (`mentions_wall`)
MIN_PLAIN_WORDS: Final = 5  # words in each of these lines
MIN_CONFIDENCE: Final = 0.6  # confidence in an article that is accepted because of these lines
MAX_PASSING_COVERAGE: Final = 0.05  # coverage of a line that mentions a wall in passing
PAGE_WEIGHT: Final = 0.5  # weight of all lines of a page relative to those of the text

ADDRESSING: Final = ("you", "we")
"""Concepts of phrases that address the reader, which suggest a wall, but no kind of wall."""

_HEADINGS: Final = ("h1", "h2", "h3")

# Parts of attribute values that occur in bot checks and in consent dialogs.
_CHALLENGES: Final = (
    *("captcha", "challenge", "turnstile", "datadome", "perimeterx", "_incapsula_", "akam/"),
    *("px-cdn", "geetest"),
)
_CONSENT: Final = (
    *("sp_message", "sourcepoint", "onetrust", "didomi", "usercentrics", "quantcast"),
    *("consentmanager", "cookiebot", "trustarc", "fundingchoices"),
)
_MAX_COUNTED_CHARACTERS: Final = 5_000  # characters of a text searched for digits and quotes
_QUOTES: Final = '"“”«»„「」'
_SENTENCE_ENDS: Final = ".!?…。！？।؟\"'”»)]"
_DOTS: Final = ("...", "…", "[…]", "[...]")

Floats = npt.NDArray[np.float64]
Masks = npt.NDArray[np.uint32]


@record
class Lines:
    """The lines of a part of a page that have words.

    `sizes` are their numbers of words, and `word_concepts` the concepts of each word, as bits of
    `Lexicon.concepts`.
    """

    sizes: Integers
    word_concepts: Masks

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Look up the first `MAX_WORDS` words of lines in the lexicon."""
        beginnings = (text[: 20 * MAX_WORDS] for text in texts)
        return cls(*shipped_lexicon().concepts_in(beginnings, MAX_WORDS))

    @cached_property
    def _starts(self) -> Integers:
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def concepts(self) -> Masks:
        """The concepts of each line."""
        return np.bitwise_or.reduceat(self.word_concepts, self._starts)

    @cached_property
    def covered(self) -> Integers:
        """The number of each line's words that are in wall phrases."""
        is_covered = (self.word_concepts & _wall_concepts()) != 0
        return np.add.reduceat(is_covered, self._starts, dtype=np.int64)

    @cached_property
    def coverage(self) -> Floats:
        """Share of each line's words that are in wall phrases; 0 for a very short line."""
        shares: Floats = self.covered / self.sizes
        return np.where(self.sizes >= MIN_COVERED_LINE_WORDS, shares, 0.0)

    @cached_property
    def is_addressed(self) -> Booleans:
        """Whether each line has a phrase that addresses the reader."""
        is_addressed: Booleans = (self.concepts & ~_wall_concepts()) != 0
        return is_addressed


class ExaminedPage(NamedTuple):
    """The parts of a page that are searched for wall phrases, and its other features.

    `text` are the lines of the article; `headlines` are the page's title, the article's title and
    the first headings; `unlinked` are the lines of the page that are at most half linked.
    """

    text: Sequence[str]
    headlines: Sequence[str]
    unlinked: Sequence[str]
    other_features: Sequence[Number]

    @classmethod
    def of(cls, page: Page, article: Article | None) -> Self:
        """Return the parts of a page and its article."""
        outline = Outline.of(page.flat)
        headings = np.flatnonzero(outline.flat.having(_HEADINGS))[:3].tolist()
        lines = line_columns(outline)
        unlinked = lines.texts[2 * lines.linked <= lines.words]
        return cls(
            article.text.split("\n") if article is not None else (),
            [*_titles_of(page.flat, article), *map(outline.text_of, headings)],
            [*map(outline.tokenised.clean.__getitem__, unlinked.tolist())],
            [*_article_numbers(article), *_markup_numbers(page)],
        )

    def without_surroundings(self) -> Self:
        """Return the page reduced to its title, the article's title and the text."""
        titles = self.headlines[:2]
        return self._replace(headlines=titles, unlinked=[*titles, *self.text])


class Evidence(NamedTuple):
    """The features of a page, as a row for the wall model, and the weight of each concept."""

    features: Features
    weights: dict[str, float]


def wall_evidence(page: ExaminedPage) -> Evidence:
    """Compute the features that distinguish a wall from an article, and the concepts' weights."""
    concepts = shipped_lexicon().concepts
    texts = {"text": page.text, "heads": page.headlines, "page": page.unlinked}
    parts = {name: Lines.of(lines) for name, lines in texts.items()}
    shares = {name: _shares(lines) for name, lines in parts.items()}
    weights = {
        concept: shares["heads"][bit] + shares["text"][bit] + PAGE_WEIGHT * shares["page"][bit]
        for bit, concept in enumerate(concepts)
    }
    numbers: list[Number] = []
    for name, lines in parts.items():
        numbers += _line_numbers(name, lines)
        numbers += zip([f"{name}_{concept}" for concept in concepts], shares[name], strict=True)
    numbers += page.other_features
    names, row = zip(*numbers, strict=True)
    from detourage.inference import Features

    return Evidence(Features(names, np.array([row], dtype=np.float32)), weights)


def headline_coverage(page: Page, article: Article | None) -> float:
    """Return the highest coverage of the page's title and the article's title by wall phrases."""
    lines = Lines.of(_titles_of(page.flat, article))
    return float(lines.coverage.max()) if lines.word_concepts.any() else 0.0


def reports_on_wall(page: ExaminedPage) -> bool:
    """Return whether an article is about walls, such as "Log-in problems at savings bank".

    In such an article, all headlines share a concept with the text, no line consists largely of
    wall phrases, and no line with such a concept addresses the reader.
    """
    headlines, lines = Lines.of(page.headlines), Lines.of(page.text)
    mentioned = np.bitwise_or.reduce(lines.concepts, initial=0) & _wall_concepts()
    you = np.uint32(1 << shipped_lexicon().concepts.index("you"))
    concepts = np.concatenate([headlines.concepts, lines.concepts])
    coverage = np.concatenate([headlines.coverage, lines.coverage])
    return bool(
        len(headlines.sizes)
        and (headlines.concepts & mentioned).all()
        and not ((concepts & mentioned != 0) & (concepts & you != 0)).any()
        and (coverage < MAX_REPORT_COVERAGE).all()
    )


def mentions_wall(page: ExaminedPage, confidence: float) -> bool:
    """Return whether an article, extracted with some confidence, mentions a wall only in passing.

    Either the confidence is high and half of the words are in lines without phrases, or the
    headlines contain no wall phrase, the coverage of each line is at most `MAX_PASSING_COVERAGE`,
    and no line addresses the reader.
    """
    lines = Lines.of(page.text)
    plain = lines.sizes[(lines.sizes >= MIN_PLAIN_WORDS) & (lines.concepts == 0)]
    is_mostly_plain = 2 * plain.sum() >= lines.sizes.sum()
    if confidence >= MIN_CONFIDENCE and len(plain) >= MIN_PLAIN_LINES and is_mostly_plain:
        return True
    is_passing = lines.covered <= MAX_PASSING_COVERAGE * lines.sizes
    return not Lines.of(page.headlines).covered.any() and bool(
        (is_passing & ~lines.is_addressed).all()
    )


def has_prose(page: ExaminedPage) -> bool:
    """Return whether a line of the text can be a sentence of an article.

    If the page displays nothing else and the text ends like a sentence, shorter lines suffice.
    """
    is_whole_page = [*page.unlinked] == [line for line in page.text if line]
    end = "".join(page.text[-1:])
    is_sentence = end.endswith(tuple(_SENTENCE_ENDS)) and not end.endswith(_DOTS)
    min_words = MIN_SNIPPET_WORDS if is_whole_page and is_sentence else MIN_PROSE_WORDS
    return bool((Lines.of(page.text).sizes >= min_words).any())


@cache
def _wall_concepts() -> np.uint32:
    """Return a bit mask of all concepts except those that address the reader."""
    concepts = shipped_lexicon().concepts
    return np.uint32(sum(1 << bit for bit, name in enumerate(concepts) if name not in ADDRESSING))


def _titles_of(document: FlatDocument, article: Article | None) -> list[str]:
    """Return the first text node of a page's title, and the article's title, if they exist."""
    in_title = document.shown[document.having(("title",))[document.text_parents]]
    titles = [document.pieces.texts[index] for index in in_title[:1].tolist()]
    return [*titles, article.title] if article is not None and article.title else titles


def _shares(lines: Lines) -> list[float]:
    """Return, for each concept, the share of words in its phrases."""
    bits = np.uint32(1) << np.arange(len(shipped_lexicon().concepts), dtype=np.uint32)
    covering = lines.word_concepts[lines.word_concepts != 0, None] & bits
    shares: list[float] = (np.count_nonzero(covering, axis=0) / max(1, lines.sizes.sum())).tolist()
    return shares


def _line_numbers(name: str, lines: Lines) -> Iterator[Number]:
    """Yield features of a part's lines, such as the number of words in plain lines."""
    words = int(lines.sizes.sum())
    marked, addressed, coverage = lines.covered > 0, lines.is_addressed, lines.coverage
    of_walls = lines.concepts & _wall_concepts()
    prose = lines.sizes >= MIN_PROSE_WORDS
    plain = prose & (coverage < MAX_PLAIN_COVERAGE)
    sorts = {
        "marked": marked,
        "addressed": addressed,
        "both": marked & addressed,
        "several": (of_walls & (of_walls - marked)) != 0,
        "prose": prose,
        "plain": plain,
        "silent": plain & ~addressed,
    }
    yield f"{name}_words", float(words)
    yield f"{name}_lines", float(len(lines.sizes))
    yield f"{name}_covered", int(lines.covered.sum()) / max(1, words)
    sizes = (np.array([*sorts.values()]) @ lines.sizes).tolist()
    for sort, size in zip(sorts, sizes, strict=True):
        yield f"{name}_{sort}", float(size)
        yield f"{name}_{sort}_share", size / max(1, words)
    yield f"{name}_highest", float(coverage[marked].max(initial=0.0))
    yield f"{name}_first", float(coverage[0]) if words else 0.0


def _article_numbers(article: Article | None) -> Iterator[Number]:
    """Yield features of the article; -1 means unknown."""
    metadata = article.metadata if article is not None else None
    text = article.text.rstrip() if article is not None else ""
    yield "has_article", float(article is not None)
    yield "confidence", article.confidence if article is not None else -1.0
    yield "is_shown", float(article is not None and article.method == "lines")
    yield "is_listing", float(metadata is not None and metadata.kind != "article")
    yield "has_date", float(metadata is not None and metadata.published is not None)
    yield "has_author", float(metadata is not None and bool(metadata.authors))
    is_paid = metadata.is_paid if metadata is not None else None
    yield "is_paid", -1.0 if is_paid is None else float(is_paid)
    yield "ends_whole", float(text[-1:] in _SENTENCE_ENDS) if text else -1.0
    yield "ends_in_dots", float(text.endswith(_DOTS))
    beginning = text[:_MAX_COUNTED_CHARACTERS]
    codes = np.frombuffer(beginning.encode("utf-32-le", "surrogatepass"), np.uint32)
    numerals = np.count_nonzero(character_tables().traits.take(codes, mode="clip") & Trait.DIGIT)
    quotes = sum(beginning.count(mark) for mark in _QUOTES)
    yield "numerals", numerals / max(1, len(beginning))
    yield "quotes", quotes / max(1, len(beginning))


def _markup_numbers(page: Page) -> Iterator[Number]:
    """Yield features of the page's attributes."""
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
    found = core.parts_in_values(page.flat, (*_CHALLENGES, *_CONSENT))
    yield "challenges", float(any(found[: len(_CHALLENGES)]))
    yield "consents", float(any(found[len(_CHALLENGES) :]))


class Lexicon:
    """Phrases, each with its concept (such as ``login`` or ``you``), found in linear time.

    A stem is a word with an asterisk that matches any suffix, as in ``"no such pag*"``.
    """

    def __init__(self, phrases: dict[str, list[str]]) -> None:
        self.concepts = tuple(phrases)
        numbered = enumerate(phrases.values())
        lines = (f"{number} {each}" for number, of_concept in numbered for each in of_concept)
        self._phrases = core.lexicon(lines)

    def concepts_in(self, texts: Iterable[str], max_words: int) -> tuple[Integers, Masks]:
        """Return the sizes of the texts with words, and the concepts of each word, as bits."""
        return core.concepts(self._phrases, texts, max_words)


@cache
def shipped_lexicon() -> Lexicon:
    """Return the lexicon with which the wall model was trained."""
    return Lexicon(shipped_json("detourage.walls", "lexicon.json"))
