"""Comment patterns in their stored form, which is JSON."""

import logging
from collections.abc import Iterable

from detourage.comments import CommentPattern
from detourage.reader import content

logger = logging.getLogger(__name__)


def pattern_of_group(stored: Iterable[str | None]) -> str | None:
    """Combine the patterns of a group's pages; return None if the result adds no comments."""
    voted = content.pattern_of_group(map(read_pattern, stored))
    return voted.to_json() if voted is not None else None


def patterns_for_page(own: str | None, group: str | None) -> list[CommentPattern] | None:
    """Return the patterns with which to search a page for comments, from those in the database."""
    return content.patterns_for_page(read_pattern(own), read_pattern(group))


def read_pattern(stored: str | None) -> CommentPattern | None:
    """Return a stored pattern; if it is damaged, its page counts as not searched."""
    if stored is None:
        return None
    try:
        return CommentPattern.from_json(stored)
    except ValueError as error:
        logger.warning("a damaged comment pattern is ignored: %s", error)
        return None
