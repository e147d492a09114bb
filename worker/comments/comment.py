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
        Name or pseudonym; None if the page shows none.
    date
        As precise as the page gives it; None if it gives none, or only an age and the time of the
        fetch is unknown.
    written_date
        The date as the page shows it ("3 hours ago"); None if it shows none.
    parent
        Index of the comment that this one answers, if any.
    permalink
        Absolute URL of the comment itself; None if the page gives none.
    votes
        Votes by readers, net of votes against if the page subtracts them; None if it shows none.
    """

    text: str
    author: str | None = None
    date: Moment | None = None
    written_date: str | None = None
    parent: int | None = None
    permalink: str | None = None
    votes: int | None = None
