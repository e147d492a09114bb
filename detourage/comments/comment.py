"""A reader's comment, as extracted."""

from dataclasses import dataclass, field

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
