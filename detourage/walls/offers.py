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

MAX_LINES: Final = 5  # lines of an offer
MAX_BETWEEN: Final = 12  # lines below an article in which the lines of an offer are looked for
MIN_LINE: Final = 3  # length, in words, of a line of an offer; shorter ones are buttons and labels
MAX_LINE: Final = 60  # length, in words, of a line of an offer
MIN_OFFER: Final = 5  # length, in words, of an offer
MIN_SUBSCRIPTION: Final = 8  # words of an offer that says nothing of reading or logging in
MIN_SENTENCE: Final = 20  # letters and digits in the longest line of such an offer

_MIN_COVERED: Final = {"reading": 0.2, "login": 0.2, "subscribe": 0.25}
"""Minimum share of an offer's words that wall phrases cover, by what it mentions first of these."""


def _is_offer(lines: Sequence[Sequence[str]], *, is_plain: bool) -> bool:
    """Return whether lines mention subscriptions and reading on or logging in, or are longer."""
    marks = [mark for line in lines for mark in shipped_lexicon().marks(line)]
    said = {name for name, bit in _bits().items() if any(mark & bit for mark in marks)}
    if "subscribe" not in said or "newsletter" in said or len(marks) < MIN_OFFER:
        return False
    kind = next(name for name in _MIN_COVERED if name in said)
    longest = max(sum(map(len, line)) for line in lines)
    if kind == "subscribe" and (
        is_plain or len(marks) < MIN_SUBSCRIPTION or longest < MIN_SENTENCE
    ):
        return False
    covered = sum(1 for mark in marks if mark & _every())
    return covered >= _MIN_COVERED[kind] * len(marks)


def begin_with_offer(
    lines: Iterable[Sequence[str]], *, at_once: bool = False, is_plain: bool = False
) -> bool:
    """Return whether the first lines, given as tokens, offer the rest of an article to subscribers.

    With `at_once`, the first line of several words must be part of the offer. With `is_plain`, the
    offer must say that one reads on or logs in.
    """
    read: list[Sequence[str]] = []
    for line in islice(lines, MAX_BETWEEN):
        if len(line) < MIN_LINE:
            continue
        if len(line) > MAX_LINE or len(read) == MAX_LINES:
            break
        read.append(line)
        if at_once and not any(mark & _every() for mark in shipped_lexicon().marks(read[0])):
            break
        if _is_offer(read, is_plain=is_plain):
            return True
    return False


def has_offer_below(page: Page, article: Article) -> bool:
    """Return whether an offer of the rest follows the text of an article."""
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
    """Return the bit of each concept that an offer may mention, or must not."""
    concepts = shipped_lexicon().concepts
    return {name: 1 << concepts.index(name) for name in (*_MIN_COVERED, "account", "newsletter")}


@cache
def _every() -> int:
    return sum(_bits().values())
