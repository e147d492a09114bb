"""The comments of a page, found and read, by one of two methods."""

from dataclasses import dataclass
from typing import Literal

from worker.comments.comment import Comment
from worker.comments.commentsminer import mine_comments
from worker.comments.finding import FoundComments, find_comments
from worker.comments.pattern import NONE_SEEN, CommentPattern
from worker.comments.reading import read_comments
from worker.pages import Page

Method = Literal["detourage", "commentsminer"]
"""The service's own method, and paper 004's."""


@dataclass(frozen=True)
class ExtractedComments:
    """The comments of a page.

    Attributes
    ----------
    comments
        The comments, in the order of the page.
    found
        The elements they were read from, one each, and how they were found.
    """

    comments: tuple[Comment, ...]
    found: FoundComments


def extract_comments(
    page: Page, known: CommentPattern | None = None, method: Method = "detourage"
) -> ExtractedComments:
    """Find the comments of a page and read them.

    Parameters
    ----------
    page
        The page.
    known
        What other pages of its template have shown (`worker.comments.vote`); not used by
        ``commentsminer``.
    method
        ``detourage``, or ``commentsminer`` for paper 004's way of finding them, which takes
        something for comments on every page.
    """
    if method == "commentsminer":
        found = FoundComments(mine_comments(page), NONE_SEEN, 1.0)
    else:
        found = find_comments(page, known)
    return ExtractedComments(read_comments(found.records, page.url), found)
