"""Whether comments read as a discussion: several people wrote, at several times."""

from collections.abc import Sequence

from worker.comments.comment import Comment

MIN_COMMENTS = 3
"""Comments of a discussion, at least."""

OF_DISCUSSION = 0.8
"""Share of the comments of a discussion that have an author, that have a date and that say
something, at least."""

DIFFERENT_AUTHORS = 0.5
"""Share of its comments that its authors are, at least: several people take part."""

DIFFERENT_TEXTS = 0.9
"""Share of what its comments say that is said once, at least."""


def is_discussion(comments: Sequence[Comment]) -> bool:
    """Say whether comments that were read have authors, dates and texts that differ."""
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
