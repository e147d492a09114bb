"""Recognition of the lead at the start of a text by role."""

from collections.abc import Iterable

from worker.article.result import ArticleBlock
from worker.text.texts import count_words

MAX_LEADING = 5
"""Number of blocks at the start of a text that may be its lead."""

MIN_WORDS = 5
"""Minimum number of words in a lead; a shorter text is a section name."""


def lead_of_blocks(blocks: Iterable[ArticleBlock]) -> str | None:
    """Return the leading blocks with the role of a lead, one per line; None if too short."""
    found = "\n".join(block.text for block in [*blocks][:MAX_LEADING] if block.role == "lead")
    return found if count_words(found) >= MIN_WORDS else None
