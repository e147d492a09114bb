"""Where comments stand on the pages of a group, by the vote of all of them."""

from collections.abc import Iterable
from dataclasses import replace

from worker.comments import CommentPattern, vote
from worker.content import SURE


def pattern_of_group(stored: Iterable[str | None]) -> str | None:
    """Return what the pages of a group have shown together, None where that finds no others.

    Parameters
    ----------
    stored
        `StoredPage.comment_pattern` of each page, in any order; pages that were never looked at
        do not vote.
    """
    voted = vote(CommentPattern.from_json(each) for each in stored if each is not None)
    if not voted.is_named:
        return None
    # How sure the vote is changes with every page; all that depends on it is whether it is sure.
    return replace(voted, confidence=1.0 if voted.confidence >= SURE else 0.5).to_json()


def patterns_for_page(own: str | None, of_group: str | None) -> list[CommentPattern] | None:
    """Return where to look for the comments of a page: where its group has them, then where it has.

    Parameters
    ----------
    own
        `StoredPage.comment_pattern`.
    of_group
        `TemplateGroup.comment_pattern`; None for a page without a group.

    Returns
    -------
    list of CommentPattern or None
        None where nobody has looked yet.
    """
    known = [CommentPattern.from_json(each) for each in (of_group, own) if each is not None]
    return known or None
