"""Compiled core of the reader: a page's lines, their columns, and what a network says of them.

The core takes a page as the HTML parser serialises it (`detourage.html.serialisation`). Any other
bytes give some lines, never an error, in linear time. The interpreter is free meanwhile.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from detourage.core import _core
from detourage.text.characters import character_tables

WORDS, SHAPES, LINK_WORDS, PLACES, NAMES = 32, 3, 6, 9, 12
"""Widths of the hashed columns."""

PADDED = 16
"""Multiple to which the number of a network's outputs is padded."""

Hashes = npt.NDArray[np.uint16]
Numbers = npt.NDArray[np.float32]
Groups = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Columns:
    """The lines of a page and what the network sees of them, one row per line.

    `numbers` has a column per name in `labels`, as sign(x) log(1 + |x|). `words`, `shapes`, `links`
    and `page_words` are hashes, 0 for none; `places` are the rows of `names` (the first of which is
    empty) of the line's block, its ancestors, and its innermost inline elements. `paths`, `parents`
    and `grandparents` number the groups of lines that have the same.
    """

    texts: list[str]
    labels: list[str]
    tokens: Groups
    numbers: Numbers
    words: Hashes
    shapes: Hashes
    links: Hashes
    places: Hashes
    names: Hashes
    page_words: Hashes
    paths: Groups
    parents: Groups
    grandparents: Groups

    @classmethod
    def of(cls, html: bytes, url: str = "") -> Self:
        """Read a serialised page."""
        read = _core.columns(html, url, *_tables())
        count = len(read["texts"])

        def rows(name: str, kind: Any, width: int) -> Any:
            return np.frombuffer(read[name], dtype=kind).reshape(-1, width)

        return cls(
            texts=read["texts"],
            labels=read["labels"],
            tokens=np.frombuffer(read["counts"], dtype=np.int32),
            numbers=rows("numbers", np.float32, len(read["labels"])) if count else np.empty((0, 0), np.float32),
            words=rows("words", np.uint16, WORDS),
            shapes=rows("shapes", np.uint16, SHAPES),
            links=rows("links", np.uint16, LINK_WORDS),
            places=rows("places", np.uint16, PLACES),
            names=rows("names", np.uint16, NAMES),
            page_words=np.frombuffer(read["page"], dtype=np.uint16),
            paths=np.frombuffer(read["paths"], dtype=np.int32),
            parents=np.frombuffer(read["parents"], dtype=np.int32),
            grandparents=np.frombuffer(read["grandparents"], dtype=np.int32),
        )


@cache
def _tables() -> tuple[bytes, bytes]:
    tables = character_tables()
    return tables.traits.tobytes(), tables.lower.tobytes()
