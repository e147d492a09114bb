"""Extraction of reader comments, with their texts, authors, dates and parents."""

from detourage.comments.comment import NONE_FOUND, Comment, CommentParts, FoundComments, dated_from
from detourage.comments.pattern import NO_PATTERN, CommentPattern, vote_of, winner

__all__ = [
    "NONE_FOUND",
    "NO_PATTERN",
    "Comment",
    "CommentParts",
    "CommentPattern",
    "FoundComments",
    "dated_from",
    "vote_of",
    "winner",
]
