"""Paths of tags, classes and IDs, which identify the same position on all pages of a template."""

import re
from dataclasses import dataclass
from typing import Self

import numpy as np

from detourage.reader.outline import Outline
from detourage.text.caches import cached_if_short

_DIGIT = re.compile(r"\d+")
_ASCII_DIGITS = dict.fromkeys(map(ord, "0123456789"))

Step = tuple[int, str]
"""The number of the parent path (-1 if there is none) and the last step of a path."""


@dataclass(frozen=True)
class Paths:
    """Numbered paths from the root to the block elements that hold text.

    A step is a tag with its class and ID. Digits are removed, because most of them are counters. A
    parent path has a lower number than its children. `numbers` is keyed by element.
    """

    steps: list[Step]
    numbers: dict[int, int]

    @classmethod
    def of(cls, page: Outline, known: dict[Step, int] | None = None) -> Self:
        """Assign a number to every path of a page, extending the `known` numbers of other pages."""
        by_step = {} if known is None else known
        numbers = {-1: -1}
        blocks = page.block_numbers
        chosen = np.flatnonzero(page.holds & (blocks == np.arange(len(blocks))))
        parents = page.flat.parents[chosen]
        steps: dict[tuple[int, int], str] = {}
        for index, around, tag, name in zip(
            chosen.tolist(),
            np.where(parents < 0, -1, blocks[parents]).tolist(),
            page.flat.tag_numbers[chosen].tolist(),
            page.name_numbers[chosen].tolist(),
            strict=True,
        ):
            step = steps.get((tag, name))
            if step is None:
                marks = _marks(page.distinct_names[name])
                step = steps[tag, name] = f"{page.flat.distinct_tags[tag]}.{marks}"
            numbers[index] = by_step.setdefault((numbers[around], step), len(by_step))
        return cls(list(by_step), numbers)


@cached_if_short(4096)
def _marks(names: str) -> str:
    plain = names.translate(_ASCII_DIGITS) if names.isascii() else _DIGIT.sub("", names)
    return ".".join(sorted(set(plain.split())))
