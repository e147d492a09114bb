"""Where comments stand on the pages of a group, as the store keeps it: in JSON."""

from collections.abc import Iterable

from worker.article import reader
from worker.comments import CommentPattern


def pattern_of_group(stored: Iterable[str | None]) -> str | None:
    """Return what the pages of a group have shown together, None where that finds no others.

    Parameters
    ----------
    stored
        `StoredPage.comment_pattern` of each page, in any order; pages that were never looked at
        do not vote.
    """
    voted = reader.pattern_of_group(
        CommentPattern.from_json(each) for each in stored if each is not None
    )
    return voted.to_json() if voted is not None else None


def patterns_for_page(own: str | None, of_group: str | None) -> list[CommentPattern] | None:
    """Return where to look for the comments of a page.

    Parameters
    ----------
    own
        `StoredPage.comment_pattern`.
    of_group
        `TemplateGroup.comment_pattern`; None for a page without a group.
    """
    return reader.patterns_for_page(_read(own), _read(of_group))


def _read(stored: str | None) -> CommentPattern | None:
    return CommentPattern.from_json(stored) if stored is not None else None
