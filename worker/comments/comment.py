"""A comment of a reader, as it was read."""

from dataclasses import dataclass

from worker.text.dates import Moment


@dataclass(frozen=True)
class Comment:
    """A comment of a reader, or a post of a thread.

    Attributes
    ----------
    text
        What the reader wrote, paragraphs parted by a blank line; empty where that is no text.
    author
        Name or pseudonym, None where the page shows none.
    date
        As precisely as the page gives it; None where it gives none, or only how long ago and
        nobody knows when that was true.
    written_date
        The date as the page shows it ("3 hours ago"), None where it shows none.
    parent
        Index of the comment that this one answers, None for none.
    permalink
        Absolute address of the comment itself, None where the page gives none.
    votes
        What readers gave it, votes against subtracted where the page does; None where it shows
        none.
    """

    text: str
    author: str | None = None
    date: Moment | None = None
    written_date: str | None = None
    parent: int | None = None
    permalink: str | None = None
    votes: int | None = None
