"""Dates of comments that only state their age."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from worker.comments.comment import Comment
from worker.text.ages import moment_before


def dated_from(
    comments: Iterable[Comment], fetched_at: datetime | None, language: str | None
) -> tuple[Comment, ...]:
    """Date the comments that only state their age ("3 hours ago").

    Parameters
    ----------
    comments
        The comments of a page.
    fetched_at
        When the page was fetched, with time zone; None leaves the comments unchanged.
    language
        BCP 47 tag of the page.

    Returns
    -------
    tuple of Comment
        In the same order, with `Comment.written_date` unchanged.
    """
    if fetched_at is None:
        return tuple(comments)
    return tuple(
        replace(comment, date=moment_before(comment.written_date, fetched_at, language))
        if comment.date is None and comment.written_date is not None
        else comment
        for comment in comments
    )
