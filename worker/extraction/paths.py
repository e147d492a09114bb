"""Paths of tags, classes and ids: what stands at the same place of a template's pages."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from worker.extraction.outline import Outline
from worker.pages.elements import WITHIN_SENTENCES
from worker.pages.flat import numbered

_DIGIT = re.compile(r"\d")

Step = tuple[int, str]
"""Number of the path above, -1 for none, and the last step of a path."""


@dataclass(frozen=True)
class Paths:
    """The paths from the root to the elements that hold text, each with a number.

    A step is a tag with its class and id, without digits, which count things. Elements within
    a line have the path of the element around them.

    Attributes
    ----------
    steps
        For each path its `Step`; the path above has a smaller number.
    numbers
        For each element that holds text the number of its path.
    """

    steps: list[Step]
    numbers: dict[int, int]

    @classmethod
    def of(cls, page: Outline, known: dict[Step, int] | None = None) -> Self:
        """Give every path of a page a number.

        Parameters
        ----------
        page
            The page.
        known
            Numbers of the paths of other pages, which this page's new ones are added to.
        """
        by_step = {} if known is None else known
        numbers = {-1: -1}
        kinds, kind_of = numbered([*zip(page.tags, page.name_numbers.tolist(), strict=True)])
        steps = [f"{tag}.{_marks(page.distinct_names[names])}" for tag, names in kinds]
        within = page.flat.having(WITHIN_SENTENCES)
        chosen = page.holders
        for index, kind, is_within in zip(
            chosen, kind_of[chosen].tolist(), within[chosen].tolist(), strict=True
        ):
            above = numbers[page.parents[index]]
            if is_within and above >= 0:
                numbers[index] = above
            else:
                numbers[index] = by_step.setdefault((above, steps[kind]), len(by_step))
        return cls(list(by_step), numbers)


@lru_cache(maxsize=4096)
def _marks(names: str) -> str:
    return ".".join(sorted(set(_DIGIT.sub("", names).split())))
