"""Detection of discussions: comments by several people at several times."""

from collections.abc import Sequence

from detourage.comments.comment import Comment

MIN_COMMENTS = 3
"""Minimum number of comments in a discussion."""

OF_DISCUSSION = 0.8
"""Minimum share of a discussion's comments with an author, with a date, and with a text."""

DIFFERENT_AUTHORS = 0.5
"""Minimum number of distinct authors in a discussion, relative to its comments."""

DIFFERENT_TEXTS = 0.9
"""Minimum share of distinct texts among a discussion's comments."""


def is_discussion(comments: Sequence[Comment]) -> bool:
    """Return whether the comments have authors, dates and texts that vary enough."""
    authors = [comment.author for comment in comments if comment.author is not None]
    texts = [comment.text for comment in comments if comment.text]
    dated = sum(
        comment.written_date is not None or comment.date is not None for comment in comments
    )
    least = OF_DISCUSSION * len(comments)
    return (
        len(comments) >= MIN_COMMENTS
        and min(len(authors), dated, len(texts)) >= least
        and len(set(authors)) >= max(2.0, DIFFERENT_AUTHORS * len(comments))
        and len(set(texts)) >= DIFFERENT_TEXTS * len(texts)
    )
