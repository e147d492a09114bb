"""Evidence for a wall: wall phrases in the extracted text, the headlines and the page."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, reduce
from operator import or_
from typing import Final, NamedTuple, Self

import numpy as np

from detourage import core
from detourage.article import Article
from detourage.html import Page
from detourage.html.flat import FlatDocument
from detourage.inference import Features, Number
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline
from detourage.text.caches import cached_if_short
from detourage.text.shipped import shipped_json
from detourage.text.words import tokens

MAX_WORDS: Final = 1_000  # words examined in a text
MIN_PROSE_WORDS: Final = 12  # words in a line that can be a sentence of an article
MIN_SNIPPET_WORDS: Final = 6  # the same for a page that displays only its text
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
"""Concepts of phrases that address the reader, which suggest a wall but not of which kind."""

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


class Line(NamedTuple):
    """The concepts of each word in a line and of the whole line, as bits of `Lexicon.concepts`.

    `covered` is the number of words in wall phrases.
    """

    word_concepts: Sequence[int]
    concepts: int
    covered: int

    @classmethod
    def of(cls, words: Sequence[str]) -> Self:
        """Look up the words of a line in the lexicon."""
        word_concepts, walls = shipped_lexicon().concepts_of(words), _wall_concepts()
        concepts = reduce(or_, {*word_concepts}, 0)
        covered = sum(1 for mask in word_concepts if mask & walls) if concepts & walls else 0
        return cls(word_concepts, concepts, covered)

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.word_concepts)

    @property
    def coverage(self) -> float:
        """Share of the line's words that are in wall phrases; 0 for a very short line."""
        return self.covered / self.size if self.size >= MIN_COVERED_LINE_WORDS else 0.0


class ExaminedPage(NamedTuple):
    """The parts of a page that are searched for wall phrases, and its other features.

    `text` are the lines of the article; `headlines` are the page's title, the article's title and
    the first headings; `unlinked` are the lines of the page that are not links.
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
        return cls(
            article.text.split("\n") if article is not None else (),
            [*_titles_of(page.flat, article), *map(outline.text_of, headings)],
            [each.text for each in lines_of(outline) if 2 * each.linked <= each.words],
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
    parts = {name: _lines(lines) for name, lines in texts.items()}
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
    return Evidence(Features.of((name, [number]) for name, number in numbers), weights)


def headline_coverage(page: Page, article: Article | None) -> float:
    """Return the highest coverage of the page's title and the article's title by wall phrases."""
    return max((line.coverage for line in _lines(_titles_of(page.flat, article))), default=0.0)


def reports_on_wall(page: ExaminedPage) -> bool:
    """Return whether an article is about walls, such as "Log-in problems at savings bank".

    In such an article, all headlines share a concept with the text, no line consists largely of
    wall phrases, and no line with such a concept addresses the reader.
    """
    headlines, lines = _lines(page.headlines), _lines(page.text)
    mentioned = reduce(or_, (line.concepts for line in lines), 0) & _wall_concepts()
    you = 1 << shipped_lexicon().concepts.index("you")
    return (
        bool(headlines)
        and all(line.concepts & mentioned for line in headlines)
        and not any(line.concepts & mentioned and line.concepts & you for line in headlines + lines)
        and all(line.coverage < MAX_REPORT_COVERAGE for line in headlines + lines)
    )


def mentions_wall(page: ExaminedPage, confidence: float) -> bool:
    """Return whether an article, extracted with some confidence, mentions a wall only in passing.

    Either most of its words are in lines without phrases of the lexicon, or its headlines contain
    no wall phrase, every line with one is long, and no line addresses the reader.
    """
    lines, walls = _lines(page.text), _wall_concepts()
    plain = [each.size for each in lines if each.size >= MIN_PLAIN_WORDS and not each.concepts]
    is_mostly_plain = 2 * sum(plain) >= sum(line.size for line in lines)
    if confidence >= MIN_CONFIDENCE and len(plain) >= MIN_PLAIN_LINES and is_mostly_plain:
        return True
    return not any(line.covered for line in _lines(page.headlines)) and all(
        line.covered <= MAX_PASSING_COVERAGE * line.size and not line.concepts & ~walls
        for line in lines
    )


def has_prose(page: ExaminedPage) -> bool:
    """Return whether a line of the text can be a sentence of an article.

    If the page displays nothing else and the text ends like a sentence, shorter lines suffice.
    """
    is_whole_page = [*page.unlinked] == [line for line in page.text if line]
    end = "".join(page.text[-1:])
    is_sentence = end.endswith(tuple(_SENTENCE_ENDS)) and not end.endswith(_DOTS)
    min_words = MIN_SNIPPET_WORDS if is_whole_page and is_sentence else MIN_PROSE_WORDS
    return any(line.size >= min_words for line in _lines(page.text))


@cache
def _wall_concepts() -> int:
    """Return a bit mask of all concepts except those that address the reader."""
    concepts = shipped_lexicon().concepts
    return sum(1 << bit for bit, name in enumerate(concepts) if name not in ADDRESSING)


def _lines(texts: Iterable[str]) -> list[Line]:
    """Return the lines that have words, up to a total of `MAX_WORDS`."""
    budget, lines = MAX_WORDS, []
    for text in texts:
        line = _line(text)
        if line.size > budget:
            line = Line.of(tokens(text[: 20 * MAX_WORDS])[:budget])
        if line.size:
            lines.append(line)
            budget -= line.size
        if budget <= 0:
            break
    return lines


# Cached because each page is examined twice, and pages of a site share lines around the article.
@cached_if_short(2048)
def _line(text: str) -> Line:
    return Line.of(tokens(text[: 20 * MAX_WORDS]))


def _titles_of(document: FlatDocument, article: Article | None) -> list[str]:
    """Return the first text node of a page's title, and the article's title, if they exist."""
    in_title = np.flatnonzero(document.having(("title",))[document.text_parents])
    titles = [document.texts[index] for index in in_title[:1].tolist()]
    return [*titles, article.title] if article is not None and article.title else titles


def _shares(lines: Sequence[Line]) -> list[float]:
    """Return, for each concept, the share of words in its phrases."""
    total = sum(line.size for line in lines)
    covered = Counter(mask for line in lines if line.concepts for mask in line.word_concepts)
    return [
        sum(count for mask, count in covered.items() if mask >> bit & 1) / max(1, total)
        for bit in range(len(shipped_lexicon().concepts))
    ]


def _line_numbers(name: str, lines: Sequence[Line]) -> Iterator[Number]:
    """Yield features of a part's lines, such as the number of words in each sort of lines."""
    walls = _wall_concepts()
    words = sum(line.size for line in lines)
    covered = sum(line.covered for line in lines)
    marked = [line for line in lines if line.concepts & walls]
    addressed = [line for line in lines if line.concepts & ~walls]
    prose = [line for line in lines if line.size >= MIN_PROSE_WORDS]
    plain = [line for line in prose if line.coverage < MAX_PLAIN_COVERAGE]
    sorts = {
        "marked": marked,
        "addressed": addressed,
        "both": [line for line in marked if line.concepts & ~walls],
        "several": [line for line in marked if (line.concepts & walls).bit_count() > 1],
        "prose": prose,
        "plain": plain,
        "silent": [line for line in plain if not line.concepts & ~walls],
    }
    yield f"{name}_words", float(words)
    yield f"{name}_lines", float(len(lines))
    yield f"{name}_covered", covered / max(1, words)
    for sort, lines_of_sort in sorts.items():
        size = sum(line.size for line in lines_of_sort)
        yield f"{name}_{sort}", float(size)
        yield f"{name}_{sort}_share", size / max(1, words)
    yield f"{name}_highest", max((line.coverage for line in marked), default=0.0)
    yield f"{name}_first", lines[0].coverage if lines else 0.0


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
    numerals = sum(character.isdigit() for character in beginning)
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


MAX_STEM_CHARACTERS: Final = 16  # length to which stems are truncated


class Lexicon:
    """Phrases, each with its concept, that are found in linear time.

    A stem is a word with an asterisk that matches any suffix, as in ``"no such pag*"``.
    """

    def __init__(self, phrases: dict[str, list[str]]) -> None:
        self.concepts = tuple(phrases)
        by_beginning: dict[str, str] = {}
        for number, concept in enumerate(self.concepts):
            for phrase in phrases[concept]:
                beginning = phrase.partition(" ")[0]
                by_beginning[beginning] = f"{by_beginning.get(beginning, '')}{number} {phrase}\n"
        # Maps the first word of phrases to lines with the concept's number and the phrase, which
        # are split only if the word occurs.
        self._by_first: dict[str, str] = {}
        for beginning, found in by_beginning.items():
            first, *others = tokens(beginning.rstrip("*"))
            is_stem = beginning.endswith("*") and not others
            key = f"{first[:MAX_STEM_CHARACTERS]}*" if is_stem else first
            self._by_first[key] = self._by_first.get(key, "") + found
        self._stem_lengths = sorted({len(key) - 1 for key in self._by_first if key.endswith("*")})
        # Cached because texts repeat words, most of which begin no phrase.
        self._phrases_with_first = cached_if_short(20_000)(self._look_up)

    def concepts_of(self, words: Sequence[str]) -> list[int]:
        """Return, for each word, a bit mask of the concepts whose phrases cover it."""
        masks = [0] * len(words)
        for start, phrases in enumerate(map(self._phrases_with_first, words)):
            for bit, rest in phrases:
                end = start + 1 + len(rest)
                if end <= len(words) and all(
                    word.startswith(expected[:-1]) if expected.endswith("*") else word == expected
                    for expected, word in zip(rest, words[start + 1 : end], strict=True)
                ):
                    for covered in range(start, end):
                        masks[covered] |= bit
        return masks

    def _look_up(self, first: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Return the concept's bit and the other words of each phrase that begins with a word."""
        stems = (f"{first[:size]}*" for size in self._stem_lengths if size <= len(first))
        found = "".join(self._by_first.get(key, "") for key in (first, *stems))
        lines = (line.partition(" ") for line in found.splitlines())
        return tuple((1 << int(n), tuple(_words_and_stems(phrase)[1:])) for n, _, phrase in lines)


def _words_and_stems(phrase: str) -> list[str]:
    """Return the tokens of a phrase, with the asterisks of stems: ``["ungültig*", "link*"]``."""
    words: list[str] = []
    for word in phrase.split():
        words += tokens(word.rstrip("*"))
        if word.endswith("*"):
            words[-1] = f"{words[-1][:MAX_STEM_CHARACTERS]}*"
    return words


@cache
def shipped_lexicon() -> Lexicon:
    """Return the lexicon with which the wall model was trained."""
    return Lexicon(shipped_json("detourage.walls", "lexicon.json"))
