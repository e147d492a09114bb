"""Words of lines and of the elements around them, as numbers that a network has vectors for.

The hashing trick (Weinberger et al. 2009): a word is a number below a limit, whatever language it
is of, and words that share one are told apart by what stands around them.
"""

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from worker.extraction.lines import Line
from worker.extraction.outline import Outline

NAME_NUMBERS: Final = 2048
"""Numbers of the words of tags, classes and ids; 0 stands for none."""

TEXT_NUMBERS: Final = 4096
"""Numbers of the words of lines; 0 stands for none."""

WORDS_OF_NAMES: Final = 12
"""Words of an element, and of those around it, that are looked at."""

MAX_AROUND: Final = 5
"""Elements around a line's whose names are looked at."""

FIRST_WORDS: Final = 5
LAST_WORDS: Final = 3
"""Words of a line that are looked at. Its last ones are other words than the same at its start."""

_WORDS_OF_NAME: Final = 5
_MAX_NAME: Final = 200
_CAMEL = re.compile(r"[a-z0-9](?=[A-Z])")
_NAME_WORD = re.compile(r"(?<![a-z])[a-z]{3,15}(?![a-z])")

_Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class HashedWords:
    """The words of lines and of their elements, as numbers; 0 for none.

    Attributes
    ----------
    nearest
        Of the element that a line stands in, shape (lines, `WORDS_OF_NAMES`).
    around
        Of the elements around that, from the inside, likewise.
    texts
        Of the lines, shape (lines, `FIRST_WORDS` + `LAST_WORDS`).
    """

    nearest: _Numbers
    around: _Numbers
    texts: _Numbers

    @property
    def bags(self) -> tuple[_Numbers, _Numbers, _Numbers]:
        """The three, in the order of the tables of `worker.learning.networks.LineNetwork`."""
        return self.nearest, self.around, self.texts


def hash_words(page: Outline, lines: Sequence[Line]) -> HashedWords:
    """Return the words of lines and of the elements around them.

    Parameters
    ----------
    page
        The page.
    lines
        Its lines, or some of them.
    """
    nearest, around = _names_around(page, [line.block for line in lines])
    ends = FIRST_WORDS + LAST_WORDS
    texts = [
        [
            *(_first_word(word) for word in line.tokens[:FIRST_WORDS]),
            *(
                _last_word(word)
                for word in (line.tokens[-LAST_WORDS:] if len(line.tokens) > ends else ())
            ),
        ]
        for line in lines
    ]
    return HashedWords(nearest, around, _padded(texts, ends))


def _names_around(page: Outline, blocks: Sequence[int]) -> tuple[_Numbers, _Numbers]:
    flat = page.flat
    parents = flat.parents.tolist()
    own = _words_of_elements(page)
    of_block: dict[int, tuple[list[int], list[int]]] = {}
    for block in blocks:
        if block in of_block:
            continue
        around: list[int] = []
        element = parents[block]
        for _ in range(MAX_AROUND):
            if element < 0:
                break
            around += own(element)
            element = parents[element]
        of_block[block] = own(block)[:WORDS_OF_NAMES], around[:WORDS_OF_NAMES]
    found = [of_block[block] for block in blocks]
    return (
        _padded([nearest for nearest, _ in found], WORDS_OF_NAMES),
        _padded([around for _, around in found], WORDS_OF_NAMES),
    )


def _words_of_elements(page: Outline) -> Callable[[int], list[int]]:
    flat = page.flat
    tags, names = flat.tag_numbers.tolist(), flat.name_numbers.tolist()

    @cache
    def of_kind(tag: int, name: int) -> list[int]:
        text = " ".join(flat.distinct_names[name])[:_MAX_NAME]
        parted = _CAMEL.sub(lambda found: found[0] + "-", text).lower()
        words = _NAME_WORD.findall(parted)[:_WORDS_OF_NAME]
        return [_name_word(f"<{flat.distinct_tags[tag]}>"), *map(_name_word, words)]

    return lambda element: of_kind(tags[element], names[element])


def _name_word(word: str) -> int:
    return _number(word, NAME_NUMBERS)


def _first_word(word: str) -> int:
    return _number("0" if word.isdigit() else word, TEXT_NUMBERS)


def _last_word(word: str) -> int:
    return _number(f"{'0' if word.isdigit() else word}$", TEXT_NUMBERS)


def _number(word: str, numbers: int) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass")) % (numbers - 1) + 1


def _padded(rows: Sequence[Sequence[int]], length: int) -> _Numbers:
    padded = np.zeros((len(rows), length), dtype=np.int32)
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    return padded
