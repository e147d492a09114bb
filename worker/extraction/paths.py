"""Paths of tags, classes and ids: what stands at the same place of a template's pages."""

import re
from dataclasses import dataclass
from typing import Self

from worker.extraction.outline import Outline
from worker.extraction.vocabulary import INLINE

_DIGIT = re.compile(r"\d")

Step = tuple[int, str]
"""Number of the path above, -1 for none, and the last step of a path."""


@dataclass(frozen=True)
class Paths:
    """The paths of a page's elements from the root, each with a number.

    A step is a tag with its class and id, without digits, which count things. Elements within
    a line have the path of the element around them.

    Attributes
    ----------
    steps
        For each path its `Step`; the path above has a smaller number.
    numbers
        For each element of the outline the number of its path.
    """

    steps: list[Step]
    numbers: list[int]

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
        numbers: list[int] = []
        for element, parent in zip(page.elements, page.parents, strict=True):
            above = numbers[parent] if parent >= 0 else -1
            if element.tag in INLINE and parent >= 0:
                numbers.append(above)
            else:
                names = f"{element.get('class') or ''} {element.get('id') or ''}"
                marks = ".".join(sorted(set(_DIGIT.sub("", names).split())))
                numbers.append(by_step.setdefault((above, f"{element.tag}.{marks}"), len(by_step)))
        return cls(list(by_step), numbers)
