"""The comments of a page: the posts of a forum page, or the comments below an article."""

from functools import cached_property
from typing import Self

import numpy as np

from detourage.comments import (
    NONE_FOUND,
    Comment,
    CommentParts,
    CommentPattern,
    FoundComments,
    vote_of,
)
from detourage.comments.assembly import Reading, read_comments, with_content
from detourage.comments.candidates import PageWords
from detourage.comments.comment_search import BestCandidate, search
from detourage.html import Page
from detourage.reader.comment_exclusion import SURE
from detourage.reader.comment_marks import innermost, marked_comments
from detourage.reader.outline import Outline
from detourage.records import record
from detourage.roles import Kind

MIN_CONFIDENCE_OF_POSTS = 0.1
"""Minimum confidence in the posts of a forum page. If it were lower, an article mistaken for a
forum page would lose most of its text."""

MIN_SIGNED_SHARE = 0.6  # share of marked comments with an author, and with a date
MAX_READ_IF_MARKED = 4  # candidates read among texts that the page marks as comments
MAX_COMMENTS = 5_000  # comments read per page, to bound the work on malicious pages


@record
class PostsOfPage:
    """The posts of a page if it is a forum page, or its comments (`likely`) if it is not.

    `vote` is the page's vote on the comment pattern of its group (see `vote_of`).
    """

    page: Page
    likely: FoundComments
    best: BestCandidate | None
    vote: str | None

    @classmethod
    def of(cls, page: Page, words: PageWords | None, group_pattern: CommentPattern | None) -> Self:
        """Find the likely posts or comments by a search, or else with the group's pattern."""
        best = search(page, words) if words is not None else None
        likely = NONE_FOUND if best is None else best.if_likely()
        if not likely.records or likely.confidence < SURE:
            marked = _find_marked(page)
            likely = marked if marked.records else likely
        vote = vote_of(likely.pattern)
        if group_pattern is not None and not likely.records:
            matching = group_pattern.records(page.flat)
            likely = FoundComments(matching, group_pattern, group_pattern.confidence)
        return cls(page, likely, best, vote)

    @cached_property
    def found(self) -> FoundComments:
        """The posts, found with a lower threshold than comments on other kinds of pages."""
        if self.likely.records or self.best is None:
            return self.likely
        return self.best.if_likely(MIN_CONFIDENCE_OF_POSTS)

    def find(self) -> CommentParts | None:
        """Return the locations of the posts, or None if there are none."""
        reading, records = self.found.reading, self.found.records[:MAX_COMMENTS]
        if not records:
            return None
        reading = reading or Reading.of(self.page.flat, records, self.page.url)
        return reading.locate_parts(self.found.confidence)

    def of_kind(self, kind: Kind) -> FoundComments:
        """Return the posts if the page is a forum page, or else its comments."""
        if kind == "listing":
            # The teasers of a listing look like comments, because they have an author and a date.
            return NONE_FOUND
        return self.found if kind == "forum" else self.likely


def _find_marked(page: Page) -> FoundComments:
    """Return the comments that a page marks as such, if they are signed and dated."""
    outline = Outline.of(page.flat)
    flat, sizes = outline.flat, outline.text_sizes
    comments, is_marked = marked_comments(flat)
    if not is_marked.any():
        return NONE_FOUND
    words = PageWords(page.flat, flat, sizes, np.where(is_marked, sizes, 0.0))
    best = search(page, words, MAX_READ_IF_MARKED, SURE)
    if best is not None and (found := best.if_likely(SURE)).records and _is_signed(best.reading):
        return found
    if len(comments) != 1:
        return NONE_FOUND
    reading = Reading.of(page.flat, (int(flat.numbers[innermost(flat, comments[0])]),), page.url)
    if not _is_signed(reading) or not reading.comments[0].text:
        return NONE_FOUND
    return FoundComments((*reading.records,), CommentPattern(None, 0, SURE), SURE, reading)


def _is_signed(reading: Reading) -> bool:
    """Return whether comments have dates and different authors, and are mostly not links."""
    names = {author.name for author in reading.authors.values()}
    least = MIN_SIGNED_SHARE * len(reading.records)
    if min(len(reading.authors), len(reading.dates)) < least or 2 * len(names) < len(
        reading.authors
    ):
        return False
    is_linked = reading.page.within(reading.page.having({"a"}))
    unlinked_minus_linked = sum(
        len(node.text) * (-1 if is_linked[layout.places[node.parent]] else 1)
        for layout in reading.layouts
        for node in layout.texts
    )
    return unlinked_minus_linked > 0


def displayed_comments(found: FoundComments, page: Page) -> tuple[Comment, ...]:
    """Read the comments that a page displays."""
    records = found.records[:MAX_COMMENTS]
    if found.reading is not None and len(records) == len(found.records):
        return with_content(found.reading.comments)
    return with_content(read_comments(page.flat, records, page.url))
