"""Offers of the rest of an article to subscribers, below its beginning."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import dropwhile, groupby, islice
from typing import Final

import numpy as np

from detourage.article import Article
from detourage.html import Page
from detourage.reader.outline import Outline
from detourage.text.words import tokens
from detourage.walls.evidence import shipped_lexicon

MAX_BEGINNING: Final = 3_500
"""Maximum length, in characters, of the beginning of an article for subscribers."""

MAX_LINES: Final = 5  # lines in an offer
MAX_SEARCHED_LINES: Final = 12  # lines below an article that are searched for an offer
MIN_LINE: Final = 3  # length, in words, of a line of an offer; shorter ones are buttons and labels
MAX_LINE: Final = 60  # length, in words, of a line of an offer
MIN_OFFER: Final = 5  # length, in words, of an offer
MIN_SUBSCRIPTION: Final = 8  # length, in words, of an offer that mentions only subscriptions
MIN_SENTENCE: Final = 20  # letters and digits in the longest line of an offer of subscriptions only

_MIN_COVERED: Final = {"reading": 0.2, "login": 0.2, "subscribe": 0.25}
"""Minimum share of an offer's words that wall phrases cover, by concept in order of precedence."""


def _is_offer(lines: Sequence[Sequence[str]], *, is_strict: bool) -> bool:
    """Return whether lines offer subscriptions; `is_strict` is as in `begin_with_offer`."""
    marks = [mark for line in lines for mark in shipped_lexicon().marks(line)]
    found = {name for name, bit in _bits().items() if any(mark & bit for mark in marks)}
    if "subscribe" not in found or "newsletter" in found or len(marks) < MIN_OFFER:
        return False
    kind = next(name for name in _MIN_COVERED if name in found)
    longest = max(sum(map(len, line)) for line in lines)
    if kind == "subscribe" and (
        is_strict or len(marks) < MIN_SUBSCRIPTION or longest < MIN_SENTENCE
    ):
        return False
    covered = sum(1 for mark in marks if mark & _every())
    return covered >= _MIN_COVERED[kind] * len(marks)


def begin_with_offer(
    lines: Iterable[Sequence[str]], *, at_once: bool = False, is_strict: bool = False
) -> bool:
    """Return whether the first lines, given as tokens, offer the rest of an article to subscribers.

    With `at_once`, the first line of several words must be part of the offer. With `is_strict`, the
    offer must mention reading on or logging in.
    """
    read: list[Sequence[str]] = []
    for line in islice(lines, MAX_SEARCHED_LINES):
        if len(line) < MIN_LINE:
            continue
        if len(line) > MAX_LINE or len(read) == MAX_LINES:
            break
        read.append(line)
        if at_once and not any(mark & _every() for mark in shipped_lexicon().marks(read[0])):
            break
        if _is_offer(read, is_strict=is_strict):
            return True
    return False


def has_offer_below(page: Page, article: Article) -> bool:
    """Return whether an offer of the rest of an article follows its text."""
    is_article = article.metadata.kind == "article"
    if not is_article or not article.blocks or len(article.text) > MAX_BEGINNING:
        return False
    return begin_with_offer(map(tokens, _lines_below(Outline.of(page.flat), article)))


def _lines_below(outline: Outline, article: Article) -> Iterator[str]:
    """Yield the lines of the page that follow the text of the article."""
    pieces, last = outline.document.pieces, article.blocks[-1].pieces[-1:]
    if not last or last[0] >= len(pieces.texts):
        return
    text, number = pieces.texts[last[0]], int(pieces.parents[last[0]])
    parent = int(np.searchsorted(outline.flat.numbers, number))
    if parent == len(outline.elements) or outline.flat.numbers[parent] != number:
        return
    texts = outline.texts
    inside = range(outline.text_starts[parent], outline.text_ends[parent])
    place = next((at for at in reversed(inside) if texts[at].text == text), None)
    if place is None:
        return
    below = dropwhile(lambda node: node.line == texts[place].line, islice(texts, place, None))
    for _, nodes in groupby(below, key=lambda node: node.line):
        yield "".join(node.text for node in nodes)


@cache
def _bits() -> Mapping[str, int]:
    """Return the bits of the concepts that decide whether lines are an offer."""
    concepts = shipped_lexicon().concepts
    return {name: 1 << concepts.index(name) for name in (*_MIN_COVERED, "account", "newsletter")}


@cache
def _every() -> int:
    return sum(_bits().values())
