"""All that a page holds for readers: its article, and what they wrote below it."""

from worker.content.reading import (
    SURE,
    Content,
    apart_from_article,
    comment_pattern_of,
    comments_of,
    read_content,
)

__all__ = [
    "SURE",
    "Content",
    "apart_from_article",
    "comment_pattern_of",
    "comments_of",
    "read_content",
]
