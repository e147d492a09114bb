"""A reader's comment, as extracted."""

from dataclasses import dataclass

from worker.text.dates import Moment


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
        Date, as precise as the page states it; None if it states none, or states only an age and
        the fetch time is unknown.
    written_date
        The date as displayed by the page ("3 hours ago"); None if it displays none.
    parent
        Index of the comment that this one replies to, if any.
    permalink
        Absolute URL of the comment itself; None if the page gives none.
    votes
        Readers' votes, net of downvotes if the page subtracts them; None if it displays none.
    """

    text: str
    author: str | None = None
    date: Moment | None = None
    written_date: str | None = None
    parent: int | None = None
    permalink: str | None = None
    votes: int | None = None
