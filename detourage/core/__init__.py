"""Compiled core: the lines of a page, what a network sees of them, and its judgement.

The core reads the columns of a flat document in linear time, without holding the interpreter's
lock. Results are the same on every machine.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from detourage.core import _core
from detourage.html.flat import FlatDocument, joined_strings
from detourage.html.text import styled_blocks, text_buttons
from detourage.text.texts import character_tables

WORDS, SHAPES, LINK_WORDS = _core.WORDS, _core.SHAPES, _core.LINK_WORDS
PLACES, NAMES, PAGE_WORDS = _core.PLACES, _core.NAMES, _core.PAGE_WORDS
"""Widths of the columns of hashed words."""

KNOWN = _core.KNOWN
"""Number of columns that compare a line with other pages of the template."""

Floats = npt.NDArray[np.float32]


class Logits(NamedTuple):
    """Outputs of the network for a page, as log odds; `roles` has a row per line."""

    roles: Floats
    kinds: Floats


class Network:
    """The network in a model file; raise ValueError if the file is damaged."""

    def __init__(self, model: bytes) -> None:
        self._network = _core.load(model)

    def judge(self, page: FlatDocument, url: str, known: Floats | None = None) -> Logits:
        """Judge the lines of a whole document.

        `known` compares the lines with other pages of the template: it has a row of `KNOWN` numbers
        per line, and is ignored if it has more or fewer rows than there are lines.
        """
        compared = np.empty(0, np.float32) if known is None else known
        count, *outputs = _core.judge(self._network, compared.tobytes(), *_arguments(page, url))
        roles, kinds = (np.frombuffer(each, np.float32) for each in outputs)
        return Logits(roles.reshape(count, -1) if count else _NOTHING, kinds)


_NOTHING = np.empty((0, 1), np.float32)
"""Output for a page without lines."""


def columns(page: FlatDocument, url: str) -> dict[str, Any]:
    """Return what the network sees of each line, for training; see ``columns.hpp``."""
    found: dict[str, Any] = _core.columns(*_arguments(page, url))
    return found


def _arguments(page: FlatDocument, url: str) -> tuple[Any, ...]:
    tables = character_tables()
    pieces, attributes = page.pieces, page.attributes
    # Buttons that are part of the text are judged like spans, and spans that a style makes blocks
    # like ``div`` elements.
    count = len(page.distinct_tags)
    tags = np.where(text_buttons(page), count, page.tag_numbers)
    tags = np.where(styled_blocks(page), count + 1, tags)
    return (
        joined_strings([*page.distinct_tags, "span", "div"]),
        pieces.utf8,
        joined_strings(attributes.distinct),
        attributes.utf8,
        tags,
        page.parents,
        page.ends,
        pieces.parents,
        pieces.after,
        attributes.owners,
        attributes.names,
        url,
        tables.traits,
        tables.lower,
    )
