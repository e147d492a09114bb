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
from detourage.comments.comment_search import MIN_CONFIDENCE_UNCONFIRMED, BestCandidate, search
from detourage.html import Page
from detourage.reader.article import judged_page
from detourage.reader.comment_exclusion import SURE
from detourage.reader.comment_marks import innermost, marked_comments
from detourage.reader.knowledge import UNKNOWN_TEMPLATE
from detourage.reader.outline import Outline
from detourage.records import record
from detourage.roles import Kind

MIN_CONFIDENCE_OF_POSTS = 0.1
"""Minimum confidence in the posts of a forum page. If it were lower, an article mistaken for a
forum page would lose most of its text."""

# Comments found with low confidence are doubtful; the roles of their lines may confirm them.
MIN_CONFIDENCE_IF_CONFIRMED = 0.005
MIN_SIGNED = 2  # doubtful comments that have an author
MIN_ROLE = 0.15  # mean probability of the role "comment" of the words in doubtful comments
MIN_HEADING = 0.3  # probability of the role "comment" of a heading such as "12 comments"
MAX_HEADING_WORDS = 8  # words in a heading with the number of comments
MAX_COUNT_DIGITS = 7  # digits of the number of comments in a heading
MIN_COMMENTS_SHARE = 0.85  # share of the page's words with the role "comment" in doubtful comments

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
        likely = _find_comments(page, best)
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


def _find_comments(page: Page, best: BestCandidate | None) -> FoundComments:
    """Return the best candidate if it is likely or its lines' roles confirm it, or no comments."""
    if best is None:
        return NONE_FOUND
    found = best.if_likely()
    return found if found.records else _confirm_by_roles(page, best) or found


def _confirm_by_roles(page: Page, best: BestCandidate) -> FoundComments | None:
    """Return a doubtful candidate if authors, dates and its lines' roles confirm it, or None."""
    # Each comment must have an author and a date; the dates have already been parsed.
    is_whole = len(best.records) == len(best.reading.records)
    if is_whole and len(best.reading.dates) < MIN_SIGNED:
        return None
    doubtful = best.if_likely(MIN_CONFIDENCE_IF_CONFIRMED)
    if not doubtful.records:
        return None
    reading = doubtful.reading or Reading.of(page.flat, doubtful.records, page.url)
    names = [author.name for author in reading.authors.values()]
    is_complete = reading.authors.keys() <= reading.dates.keys()
    if len({*names}) < max(MIN_SIGNED, len(names)) or not is_complete:
        return None
    records = doubtful.records[0 if 0 in reading.authors else 1 :]
    outline, judged = Outline.of(page.flat), judged_page(page, UNKNOWN_TEMPLATE)
    is_record = np.isin(outline.flat.numbers, records)
    is_inside = outline.flat.within(is_record)[judged.columns.blocks]
    word_counts = judged.columns.words
    probabilities = judged.probability_of(("comment",))
    comment_words = probabilities * word_counts
    first = int(is_inside.argmax())
    heading = judged.lines[first - 1].tokens
    is_heading = first > 0 and probabilities[first - 1] >= MIN_HEADING
    has_count = len(heading) <= MAX_HEADING_WORDS and any(
        word.isdecimal() and len(word) <= MAX_COUNT_DIGITS and int(word) >= len(records)
        for word in heading
    )
    min_role, start = (0.0, first) if is_heading and has_count else (MIN_ROLE, 0)
    found_words = comment_words[is_inside].sum()
    has_most = found_words >= MIN_COMMENTS_SHARE * comment_words[start:].sum()
    if not has_most or found_words < min_role * word_counts[is_inside].sum():
        return None
    if not all(reading.comments[number].text for number in reading.authors):
        return None
    is_whole = len(records) == len(reading.records)
    return FoundComments(
        records, doubtful.pattern, MIN_CONFIDENCE_UNCONFIRMED, reading if is_whole else None
    )


def _find_marked(page: Page) -> FoundComments:
    """Return the comments that a page marks as such, if they are signed and dated."""
    outline = Outline.of(page.flat)
    flat, sizes = outline.flat, outline.text_sizes
    comments, is_marked = marked_comments(flat)
    if not is_marked.any():
        return NONE_FOUND
    words = PageWords(page.flat, flat, sizes, np.where(is_marked, sizes, 0.0))
    best = search(page, words, MAX_READ_IF_MARKED)
    if best is not None and best.if_likely(SURE).records and _is_signed(best.reading):
        return best.if_likely(SURE)
    if len(comments) != 1:
        return NONE_FOUND
    reading = Reading.of(page.flat, (int(flat.numbers[innermost(flat, comments[0])]),), page.url)
    if not _is_signed(reading) or not reading.comments[0].text:
        return NONE_FOUND
    return FoundComments((*reading.records,), CommentPattern(None, 0, SURE), SURE, reading)


def _is_signed(reading: Reading) -> bool:
    """Return whether comments have dates and different authors, and are not links."""
    page, least = reading.page, MIN_SIGNED_SHARE * len(reading.records)
    names = {author.name for author in reading.authors.values()}
    if not (2 * len(names) >= len(reading.authors) >= least <= len(reading.dates)):
        return False
    is_linked = page.within(page.having({"a"}))
    texts = [
        (node.text, is_linked[layout.places[node.parent]])
        for layout in reading.layouts
        for node in layout.texts
    ]
    return 2 * sum(len(text) for text, linked in texts if linked) < sum(len(t) for t, _ in texts)


def displayed_comments(found: FoundComments, page: Page) -> tuple[Comment, ...]:
    """Read the comments that a page displays."""
    records = found.records[:MAX_COMMENTS]
    if found.reading is not None and len(records) == len(found.records):
        return with_content(found.reading.comments)
    return with_content(read_comments(page.flat, records, page.url))
