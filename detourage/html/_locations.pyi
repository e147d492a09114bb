"""Locations of the elements and texts of a flat document, in linear time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from detourage.html.flat import Booleans, Integers

def tree(
    tags: bytes,
    tag_numbers: Integers,
    parents: Integers,
    ends: Integers,
    texts: bytes,
    text_parents: Integers,
    /,
) -> Any:
    """Return a document, given by its columns, as the first argument of the other functions."""

def path(tree: Any, element: int, ancestor: int, /) -> str:
    """Return the path of an element from an ancestor, or its absolute path if `ancestor` is -1."""

def own_offset(tree: Any, text: int, /) -> int:
    """Return the number of characters before a text in its parent's own texts."""

def displayed(tree: Any, is_silent: Booleans, /) -> bytes:
    """Return the NUL-terminated texts of the elements that are not marked."""

def locate(
    tree: Any,
    is_inline: Booleans,
    starts: Integers,
    ends: Integers,
    traits: npt.NDArray[np.uint32],
    container: int,
    budget: int,
    blocks: list[tuple[str, int, Sequence[int], bool]],
    /,
) -> tuple[list[tuple[str, list[Any]] | None], int]:
    """Locate blocks, given by text, start, text nodes and whether they are code.

    Return for each block the path of the innermost element around it that is not inline, relative
    to `container` if inside it, and the fields of the block's `TextLocation`s. `starts` and `ends`
    have the byte offsets of all text nodes. Once the paths exceed `budget` characters, the
    locations of all further blocks are None. Also return the remaining budget.
    """

def start_tags(tree: Any, source: bytes, start: int, end: int, first: int, last: int, /) -> bytes:
    """Return an int64 column with the offsets of the start tags of the elements `first` to `last`.

    The page is searched from `start` to `end`. An offset is -1 unless this part has as many tags
    with the element's name as there are such elements, so that they correspond in order.
    """
