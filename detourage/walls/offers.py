"""Offers to subscribe, displayed below the beginning of an article for subscribers only."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import islice, pairwise
from operator import or_
from typing import Final

import numpy as np

from detourage.article import Article
from detourage.html import Page
from detourage.reader.outline import Outline
from detourage.text.words import squash
from detourage.walls.evidence import shipped_lexicon

MAX_BEGINNING_CHARACTERS: Final = 3_500  # length of the beginning of an article for subscribers
MAX_LINES: Final = 5  # lines in an offer
MAX_SEARCHED_LINES: Final = 12  # lines below an article that are searched for an offer
MIN_LINE_WORDS: Final = 3  # words in a line of an offer; shorter ones are buttons and labels
MAX_LINE_WORDS: Final = 60  # words in a line of an offer
MIN_OFFER_WORDS: Final = 5  # words in an offer

# Minimum words, and minimum letters and digits in the longest line, of an offer that mentions
# neither reading on nor logging in.
MIN_PLAIN_OFFER_WORDS: Final = 8
MIN_PLAIN_LINE_CHARACTERS: Final = 20

_MIN_COVERAGE: Final = {"reading": 0.2, "login": 0.2, "subscribe": 0.25}
"""Minimum share of an offer's words in phrases, by concept; the first concept found counts."""


def begin_with_offer(
    lines: Iterable[str], *, at_once: bool = False, is_strict: bool = False
) -> bool:
    """Return whether the first lines offer the rest of an article to subscribers.

    With `at_once`, the offer must begin in the first line that is not a button or label. With
    `is_strict`, the offer must mention reading on or logging in.
    """
    masks: list[int] = []
    read: list[str] = []
    for line in islice(lines, MAX_SEARCHED_LINES):
        concepts = shipped_lexicon().concepts_in([line], len(line))[1].tolist()
        if len(concepts) < MIN_LINE_WORDS:
            continue
        if len(concepts) > MAX_LINE_WORDS or len(read) == MAX_LINES:
            break
        masks += concepts
        read.append(line)
        if at_once and len(read) == 1 and not any(mask & _all_bits() for mask in masks):
            break
        if _is_offer(masks, read, is_strict=is_strict):
            return True
    return False


def _is_offer(masks: Sequence[int], lines: Iterable[str], *, is_strict: bool) -> bool:
    """Return whether lines are an offer to subscribe; `masks` are the concepts of their words."""
    mentioned, bits = reduce(or_, {*masks}), _bits()
    is_subscription = mentioned & bits["subscribe"] and not mentioned & bits["newsletter"]
    if not is_subscription or len(masks) < MIN_OFFER_WORDS:
        return False
    concept = next(name for name in _MIN_COVERAGE if mentioned & bits[name])
    if concept == "subscribe":
        longest_line = max(len(squash(line)) for line in lines)
        is_short = len(masks) < MIN_PLAIN_OFFER_WORDS or longest_line < MIN_PLAIN_LINE_CHARACTERS
        if is_strict or is_short:
            return False
    covered = sum(1 for mask in masks if mask & _all_bits())
    return covered >= _MIN_COVERAGE[concept] * len(masks)


def has_offer_below(page: Page, article: Article) -> bool:
    """Return whether the text of an article is followed by an offer to subscribe."""
    is_article = article.metadata.kind == "article"
    if not is_article or not article.blocks or len(article.text) > MAX_BEGINNING_CHARACTERS:
        return False
    return begin_with_offer(_lines_below(Outline.of(page.flat), article))


def _lines_below(outline: Outline, article: Article) -> Iterator[str]:
    """Yield the lines of the page that follow the text of the article."""
    pieces, last_piece = outline.document.pieces, article.blocks[-1].pieces[-1:]
    if not last_piece or last_piece[0] >= len(pieces.texts):
        return
    last_text, number = pieces.texts[last_piece[0]], int(pieces.parents[last_piece[0]])
    parent = int(np.searchsorted(outline.flat.numbers, number))
    if parent == len(outline.flat.numbers) or outline.flat.numbers[parent] != number:
        return
    texts, line_starts = outline.flat.texts, outline.line_starts
    in_parent = range(outline.flat.text_starts[parent], outline.flat.text_ends[parent])
    last = next((index for index in reversed(in_parent) if texts[index] == last_text), None)
    if last is None:
        return
    below = line_starts[np.searchsorted(line_starts, last, "right") :]
    for start, end in pairwise([*below.tolist(), len(texts)]):
        yield "".join(texts[start:end])


@cache
def _bits() -> Mapping[str, int]:
    """Return the bit of each concept that matters for an offer, by name."""
    concepts = shipped_lexicon().concepts
    return {name: 1 << concepts.index(name) for name in (*_MIN_COVERAGE, "account", "newsletter")}


@cache
def _all_bits() -> int:
    return sum(_bits().values())
