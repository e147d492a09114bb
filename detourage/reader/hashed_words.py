"""Words of lines and of their enclosing elements, hashed to embedding indices.

The hashing trick (Weinberger et al. 2009) maps words of any language to numbers below a limit.
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from detourage.html.names import part_at_capitals
from detourage.reader.lines import places_of_lines
from detourage.reader.outline import Outline
from detourage.text.caches import cached_if_short
from detourage.text.texts import Count

NAME_NUMBERS: Final = 2048
"""Number of embedding indices for words of tags, classes and IDs; 0 means no word."""

TEXT_NUMBERS: Final = 4096
"""Number of embedding indices for words of lines; 0 means no word."""

WORDS_OF_NAMES: Final = 12
"""Maximum number of words taken from the names of a line's element, and also from the names of all
elements around it."""

MAX_AROUND: Final = 5
"""Maximum number of enclosing elements whose names are used."""

FIRST_WORDS: Final = 5
LAST_WORDS: Final = 3
"""Number of words taken from the end of a line; they are hashed differently from the first ones."""

_WORDS_OF_NAME: Final = 5
_MAX_NAME: Final = 200
_NAME_WORD = re.compile(r"(?<![a-z])[a-z]{3,15}(?![a-z])")

_Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class HashedWords:
    """The hashed words of lines and of their elements; 0 means no word.

    `nearest` comes from each line's element, `around` from the enclosing elements, innermost first;
    both have the shape (lines, `WORDS_OF_NAMES`). `texts` has the shape (lines, `FIRST_WORDS` +
    `LAST_WORDS`).
    """

    nearest: _Numbers
    around: _Numbers
    texts: _Numbers

    @property
    def bags(self) -> tuple[_Numbers, _Numbers, _Numbers]:
        """The three arrays, in the order of `detourage.inference.networks.LineNetwork`'s tables."""
        return self.nearest, self.around, self.texts


def hash_words(page: Outline, blocks: Sequence[int]) -> HashedWords:
    """Hash the words of a page's lines and of their enclosing elements (`blocks`, one per line)."""
    distinct, numbers = np.unique(np.array(blocks, dtype=np.int64), return_inverse=True)
    nearest, around = _names_around(page, distinct.tolist())
    return HashedWords(nearest[numbers], around[numbers], _words_of_lines(page))


def _names_around(page: Outline, blocks: Sequence[int]) -> tuple[_Numbers, _Numbers]:
    flat = page.flat
    parents = flat.parents.tolist()
    pairs = (flat.name_numbers * len(flat.distinct_tags) + flat.tag_numbers).tolist()

    @cache
    def of_pair(pair: int) -> tuple[int, ...]:
        name, tag = divmod(pair, len(flat.distinct_tags))
        words = " ".join(flat.distinct_names[name])
        return _words_of_element(flat.distinct_tags[tag][:_MAX_NAME], words[:_MAX_NAME])

    def own(element: int) -> tuple[int, ...]:
        return of_pair(pairs[element])

    @cache
    def from_inside(element: int) -> list[int]:
        found: list[int] = []
        for _ in range(MAX_AROUND):
            if element < 0 or len(found) >= WORDS_OF_NAMES:
                break
            found += own(element)
            element = parents[element]
        return found[:WORDS_OF_NAMES]

    nearest = [own(block)[:WORDS_OF_NAMES] for block in blocks]
    beyond = [from_inside(parents[block]) for block in blocks]
    return _padded(nearest, WORDS_OF_NAMES), _padded(beyond, WORDS_OF_NAMES)


@lru_cache(maxsize=4096)
def _words_of_element(tag: str, name: str) -> tuple[int, ...]:
    words = [f"<{tag}>", *_NAME_WORD.findall(part_at_capitals(name))[:_WORDS_OF_NAME]]
    return tuple(_number(word, NAME_NUMBERS) for word in words)


def _words_of_lines(page: Outline) -> _Numbers:
    texts = page.said.texts
    places = page.said.of_lines[places_of_lines(page)]
    ends, sizes = texts.ends[places], texts.count(Count.TOKENS)[places]
    first = np.arange(FIRST_WORDS)
    first = np.where(first < sizes[:, None], (ends - sizes)[:, None] + first, -1)
    last = ends[:, None] + np.arange(-LAST_WORDS, 0)
    is_long = sizes > FIRST_WORDS + LAST_WORDS
    last = np.where(is_long[:, None], last, -1)
    return np.concatenate([_hashed(page, first, ""), _hashed(page, last, "$")], axis=1)


def _hashed(page: Outline, places: npt.NDArray[np.int64], suffix: str) -> _Numbers:
    """Hash the tokens at the given positions; negative positions become 0."""
    texts = page.said.texts
    hashed = np.zeros(places.shape, dtype=np.int32)
    is_there = places >= 0
    distinct, numbers = np.unique(texts.numbers[places[is_there]], return_inverse=True)
    words = [texts.distinct[number] for number in distinct.tolist()]
    of_words = [_number(("0" if word.isdigit() else word) + suffix, TEXT_NUMBERS) for word in words]
    hashed[is_there] = np.array(of_words, dtype=np.int32)[numbers]
    return hashed


@cached_if_short(65_536)
def _number(word: str, numbers: int) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass")) % (numbers - 1) + 1


def _padded(rows: Sequence[Sequence[int]], length: int) -> _Numbers:
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    padded = np.zeros((len(rows), length), dtype=np.int32)
    is_there = np.arange(length) < sizes[:, None]
    padded[is_there] = np.fromiter(chain.from_iterable(rows), np.int32, int(sizes.sum()))
    return padded
