"""Comment patterns in their stored form, which is JSON."""

from collections.abc import Iterable

from detourage.comments import CommentPattern
from detourage.reader import content


def pattern_of_group(stored: Iterable[str | None]) -> str | None:
    """Combine the patterns of a group's pages; return None if the result adds no comments.

    Pages that were never searched (None) do not vote. The order of the patterns does not matter.
    """
    voted = content.pattern_of_group(
        CommentPattern.from_json(each) for each in stored if each is not None
    )
    return voted.to_json() if voted is not None else None


def patterns_for_page(own: str | None, of_group: str | None) -> list[CommentPattern] | None:
    """Return the patterns with which to search a page for comments, from those in the database."""
    return content.patterns_for_page(_read(own), _read(of_group))


def _read(stored: str | None) -> CommentPattern | None:
    return CommentPattern.from_json(stored) if stored is not None else None
