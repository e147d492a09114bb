"""The lead that a text begins with."""

from collections.abc import Iterable

from worker.article.result import ArticleBlock
from worker.text.texts import count_words

MAX_LEADING = 5
"""Blocks at the beginning of a text among which its lead stands."""

MIN_WORDS = 5
"""A shorter one is a rubric."""


def lead_of_blocks(blocks: Iterable[ArticleBlock]) -> str | None:
    """Return what a text begins with that has the role of a lead, a line for each block.

    Parameters
    ----------
    blocks
        The blocks of the text. None where no one of the first ones is a lead, or it is short.
    """
    found = "\n".join(block.text for block in [*blocks][:MAX_LEADING] if block.role == "lead")
    return found if count_words(found) >= MIN_WORDS else None
