"""A reader's comment, as extracted, and the comments found on a page, before they are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from detourage.comments.pattern import CommentPattern
from detourage.text.relative_dates import resolve_relative

if TYPE_CHECKING:
    from datetime import datetime

    from detourage.comments.assembly import Reading
    from detourage.html.locations import Location
    from detourage.text.dates import Moment


@dataclass(frozen=True)
class Comment:
    """A reader's comment, or a post of a thread.

    Attributes
    ----------
    text
        The text, with a blank line between paragraphs; empty if there is no text.
    author
        Name or pseudonym; None if the page displays none.
    date
        Date, as precise as the page gives it; None if the page gives none, or only a relative one
        and the fetch time is unknown.
    written_date
        The date as displayed by the page ("3 hours ago"); None if it displays none.
    parent
        Index of the comment that this one replies to, if any.
    permalink
        Absolute URL of the comment itself; None if the page gives none.
    votes
        Votes by readers, minus downvotes if the page subtracts them; None if it displays no votes.
    location
        Location of the comment's element and text in the page; None if unknown.
    element
        Index of that element in the page; None if the page does not display the comment.
    texts
        Indices, in the page, of the first and the last text node that belong to the text.
    """

    text: str
    author: str | None = None
    date: Moment | None = None
    written_date: str | None = None
    parent: int | None = None
    permalink: str | None = None
    votes: int | None = None
    location: Location | None = field(default=None, compare=False)
    element: int | None = field(default=None, compare=False, repr=False)
    texts: tuple[int, ...] = field(default=(), compare=False, repr=False)


def dated_from(
    comments: Iterable[Comment], fetched_at: datetime | None, language: str | None
) -> tuple[Comment, ...]:
    """Return the comments with relative dates ("3 hours ago") resolved to absolute ones.

    `fetched_at` is the time when the page was fetched, with a time zone; if it is None, the
    comments do not change. `language` is the page's BCP 47 tag.
    """
    if fetched_at is None:
        return tuple(comments)
    return tuple(
        replace(comment, date=resolve_relative(comment.written_date, fetched_at, language))
        if comment.date is None and comment.written_date is not None
        else comment
        for comment in comments
    )


class CommentParts(NamedTuple):
    """Locations of the parts of a page's comments.

    `elements` are the indices of the elements that contain the comments, in page order. `authors`,
    `dates` and `bodies` are the indices of the text nodes that display these parts. `confidence` is
    the probability that these are comments or posts.
    """

    elements: tuple[int, ...]
    authors: frozenset[int]
    dates: frozenset[int]
    bodies: frozenset[int]
    confidence: float


class FoundComments(NamedTuple):
    """The comments found on a page, before they are read.

    `records` are the indices of the elements that contain one comment each, in document order and
    possibly nested. `pattern` finds the comments on other pages of the template. `confidence` is
    the probability that the records are the page's comments; without records, it is 1. `reading`
    contains all records as read by the search, or is None if the search did not read all of them.
    """

    records: tuple[int, ...]
    pattern: CommentPattern
    confidence: float
    reading: Reading | None = None


NONE_FOUND = FoundComments((), CommentPattern(None, 0, 1.0), 1.0)
