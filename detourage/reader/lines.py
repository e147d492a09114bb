"""Lines of a page, which are runs of text between block borders, and their paths."""

from typing import NamedTuple

import numpy as np

from detourage.html.flat import Booleans, Integers, OnDemand
from detourage.reader.outline import Outline
from detourage.text import words
from detourage.text.caches import cached_if_short
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.token_counts import Count, Digests

_DIGIT = lazy_pattern(r"\d+")
_ASCII_DIGITS = dict.fromkeys(map(ord, "0123456789"))

_BASE = np.uint64(0x9E3779B97F4A7C15)
"""Odd base of the polynomial hashes that serve as digests of paths."""


def _path_digests(page: Outline) -> Digests:
    """Return, for each element, the digest of the path to its nearest block (itself if a block).

    A path is the steps from the root: the tag of each block with its class and ID. Digits are
    removed, because most of them are counters. Equal paths have equal digests on all pages: a
    digest is the sum of the steps' digests times `_BASE` to the power of their depth, modulo 2**64.
    """
    count = len(page.flat.parents)
    blocks = np.flatnonzero(page.block_numbers == np.arange(count))
    tags, names = page.flat.tag_numbers[blocks], page.name_numbers[blocks]
    keys, places = np.unique(tags * len(page.distinct_names) + names, return_inverse=True)
    steps = (divmod(key, len(page.distinct_names)) for key in keys.tolist())
    by_key = np.array(
        [
            _step_digest(page.distinct_names[name], page.flat.distinct_tags[tag])
            for tag, name in steps
        ],
        np.uint64,
    )
    depths = _sums_of_ancestors(page, blocks, np.ones(len(blocks), np.uint64))
    return _sums_of_ancestors(page, blocks, by_key[places] * _BASE ** depths[blocks])


def _sums_of_ancestors(page: Outline, elements: Integers, values: Digests) -> Digests:
    """Return, for each element of a page, the sum of the values of itself and its ancestors.

    `values` are those of `elements`; any other element has the value 0.
    """
    changes = np.zeros(len(page.flat.parents) + 1, np.uint64)
    changes[elements] = values
    np.subtract.at(changes, page.flat.ends[elements], values)
    sums: Digests = np.cumsum(changes[:-1], dtype=np.uint64)
    return sums


@cached_if_short(4096)
def _step_digest(names: str, tag: str) -> int:
    """Return the digest of a tag with its class and ID, which are sorted and without digits."""
    from hashlib import blake2b

    plain = names.translate(_ASCII_DIGITS) if names.isascii() else _DIGIT.sub("", names)
    step = ".".join([tag, *sorted(set(plain.split()))])
    return int.from_bytes(blake2b(step.encode(), digest_size=8).digest(), "little")


class Line(NamedTuple):
    """A line with at least one token.

    `number` is as in `Outline.text_lines`, `block` is the index of the nearest enclosing block
    element, `words` is the number of tokens, `linked` that of tokens in links, and `sentences` is
    the number of sentence ends.
    """

    number: int
    block: int
    text: str
    words: int
    linked: int
    sentences: int

    @property
    def is_prose(self) -> bool:
        """Whether the line contains a sentence and is less than half linked."""
        return self.sentences > 0 and 2 * self.linked < self.words

    @property
    def tokens(self) -> list[str]:
        """The tokens, computed at each access, because few lines need them."""
        return words.tokens(self.text)


class LineColumns(NamedTuple):
    """The numbers of a page's lines as columns, named as in `Line`.

    `texts` are the indices of the lines in `Outline.tokenised`, and `words` their token counts.
    """

    texts: Integers
    numbers: Integers
    blocks: Integers
    words: Integers
    linked: Integers
    sentences: Integers

    @property
    def is_prose(self) -> Booleans:
        """Mask of the lines that contain a sentence and are less than half linked."""
        return (self.sentences > 0) & (2 * self.linked < self.words)


def line_columns(page: Outline) -> LineColumns:
    """Return the numbers of a page's lines, computed once."""
    return page.cached(line_columns, lambda: _line_columns(page))


def _line_columns(page: Outline) -> LineColumns:
    texts = page.tokenised
    with_tokens = np.flatnonzero(texts.counts[texts.line_texts, Count.TOKENS])
    first_texts = page.line_starts[with_tokens]
    linked = page.text_sizes * (page.link_numbers[page.text_parents] >= 0)
    places = texts.line_texts[with_tokens]
    return LineColumns(
        places,
        page.text_lines[first_texts],
        page.block_numbers[page.text_parents[first_texts]],
        texts.count(Count.TOKENS)[places],
        np.add.reduceat(linked, page.line_starts)[with_tokens],
        texts.count(Count.SENTENCES)[places],
    )


def line_paths(page: Outline) -> Digests:
    """Return the digests of the paths to the lines' blocks, which are the same in every process."""
    return _path_digests(page)[line_columns(page).blocks]


def line_digests(page: Outline) -> Digests:
    """Return the digests of the lines' tokens, which are the same in every process."""
    return page.tokenised.digests[line_columns(page).texts]


def lines_of(page: Outline) -> OnDemand[Line]:
    """Return the lines of a page, in order."""
    clean = page.tokenised.clean
    texts, numbers, blocks, *counts = [column.tolist() for column in line_columns(page)]

    def line(place: int) -> Line:
        own_counts = [count[place] for count in counts]
        return Line(numbers[place], blocks[place], clean[texts[place]], *own_counts)

    return OnDemand(len(numbers), line)
