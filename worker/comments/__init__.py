"""Comments of readers: what each one says, who wrote it, when, and in answer to whom."""

from worker.comments.comment import Comment
from worker.comments.finding import FoundComments, find_comments
from worker.comments.pattern import NONE_SEEN, CommentPattern, vote
from worker.comments.reading import read_comments

__all__ = [
    "NONE_SEEN",
    "Comment",
    "CommentPattern",
    "FoundComments",
    "find_comments",
    "read_comments",
    "vote",
]
