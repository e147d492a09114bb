"""Extraction of reader comments, with their texts, authors, dates and parents."""

from detourage.comments.assembly import CommentParts, Reading, read_comments, with_content
from detourage.comments.comment import Comment
from detourage.comments.finding import FoundComments
from detourage.comments.pattern import NO_PATTERN, CommentPattern, vote_of, winner

__all__ = [
    "NO_PATTERN",
    "Comment",
    "CommentParts",
    "CommentPattern",
    "FoundComments",
    "Reading",
    "read_comments",
    "vote_of",
    "winner",
    "with_content",
]
