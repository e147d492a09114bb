"""Alignment of comments' short texts into columns, one for each place in the template."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from detourage.comments.layout import Layout

MAX_CHARACTERS = 120
"""Maximum length of an author, a date or a vote count, including other text in the same element."""

MAX_REPEATS = 3
"""Maximum number of aligned elements per path and comment; more of them form a list."""


class Place(NamedTuple):
    """A place in the template of comments.

    `path` is the number of the element's path, and `rank` is the element's position among the
    comment's elements on that path. `is_text` is True if the place is only the element's own text,
    next to child elements.
    """

    path: int
    rank: int
    is_text: bool = False


class Value(NamedTuple):
    """The text at a place in one comment, with the index of its element in the layout."""

    element: int
    text: str


@dataclass(frozen=True)
class Column:
    """The texts at one place in a page's comments, by comment number, omitting empty ones."""

    place: Place
    values: Mapping[int, Value]

    @cached_property
    def counts(self) -> Counter[str]:
        """Number of occurrences of each text."""
        return Counter(value.text for value in self.values.values())

    @property
    def is_constant(self) -> bool:
        """Whether several comments have a text at that place and all these texts are equal."""
        return len(self.values) > 1 and len(self.counts) == 1


def columns_of(layouts: Sequence[Layout]) -> list[Column]:
    """Align the short texts of a page's comments, with columns ordered by first occurrence."""
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
