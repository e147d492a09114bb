"""The short texts of comments, lined up: what stands at one place of the template, in each."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from worker.comments.layout import Layout

MAX_CHARACTERS = 120
"""Characters of an author, a date or a number of votes, with what stands in the same element."""

MAX_REPEATS = 3
"""Elements of one path in a comment that are told apart; further ones are a list."""


class Place(NamedTuple):
    """A place in the template of comments.

    Attributes
    ----------
    path
        Number of the path of the element.
    rank
        Which of the elements of that path in the comment, from 0.
    is_text
        Whether it is text of the element's own, with other elements beside it.
    """

    path: int
    rank: int
    is_text: bool = False


class Value(NamedTuple):
    """What stands at a place in one comment.

    Attributes
    ----------
    element
        Index of the element in the comment's layout.
    text
        The text, on one line.
    """

    element: int
    text: str


@dataclass(frozen=True)
class Column:
    """What stands at one place in the comments of a page.

    Attributes
    ----------
    place
        The place.
    values
        By the number of the comment; comments that show nothing there are left out.
    """

    place: Place
    values: Mapping[int, Value]

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each text stands there."""
        return Counter(value.text for value in self.values.values())

    @property
    def is_constant(self) -> bool:
        """Whether several comments show the same there, and none shows anything else."""
        return len(self.values) > 1 and len(self.counts) == 1


def columns_of(layouts: Sequence[Layout]) -> list[Column]:
    """Line up the short texts of a page's comments, in the order of their first places."""
    found: defaultdict[tuple[int, int, bool], dict[int, Value]] = defaultdict(dict)
    for number, layout in enumerate(layouts):
        ranks: defaultdict[int, int] = defaultdict(int)
        stretches = zip(layout.paths, layout.text_starts, layout.text_ends, strict=True)
        for index, (path, start, end) in enumerate(stretches):
            if start == end:
                continue
            rank = ranks[path]
            ranks[path] = rank + 1
            if rank < MAX_REPEATS and layout.lengths[index] <= 4 * MAX_CHARACTERS:
                text = layout.text_of(index)
                if len(text) <= MAX_CHARACTERS:
                    found[path, rank, False][number] = Value(index, text)
        ranks.clear()
        for node, text in zip(layout.texts, layout.clean_texts, strict=True):
            parent = node.parent
            is_alone = layout.text_ends[parent] - layout.text_starts[parent] == 1
            if is_alone or len(node.text) > 4 * MAX_CHARACTERS:
                continue
            path = layout.paths[parent]
            rank = ranks[path]
            ranks[path] = rank + 1
            if rank < MAX_REPEATS and len(text) <= MAX_CHARACTERS:
                found[path, rank, True][number] = Value(parent, text)
    return [Column(Place(*place), values) for place, values in found.items()]
