"""Exclusion of comments from the article's text."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from lxml.html import HtmlElement

from detourage.comments import FoundComments, read_comments
from detourage.comments.certainty import MAX_READ
from detourage.comments.discussion import is_discussion
from detourage.comments.extents import comment_area
from detourage.html import Page
from detourage.reader.finding import Finding
from detourage.reader.outline import Outline

SURE = 0.7
"""Minimum comment probability at which elements are removed from the article."""


LIKELY = 0.4
"""Minimum comment probability at which elements are removed if they read like a discussion."""

MAX_EXCLUDED = 0.5
"""Maximum share of the body's words removed regardless of `MIN_REMAINING`."""

MIN_REMAINING = 100
"""Minimum number of words left after removing more than `MAX_EXCLUDED` of the body.

If fewer would be left, one of the elements is the article itself, such as the first post of a
thread.
"""


def comments_to_exclude(page: Page, found: FoundComments) -> Sequence[HtmlElement]:
    """Return the elements that are almost certainly reader comments, not part of the article."""
    is_sure = found.confidence >= SURE or (
        found.confidence >= LIKELY and _is_discussion(found, page)
    )
    return comment_area(page.flat, found.records) if is_sure else ()


def _is_discussion(found: FoundComments, page: Page) -> bool:
    comments = found.read
    if comments is None:
        comments = read_comments(page.flat, found.records[:MAX_READ], page.url)
    return is_discussion(comments)


def exclude(page: Outline, finding: Finding, elements: Collection[int]) -> Finding:
    """Drop elements from a body, unless they make up most of it and few words would remain.

    The remaining lines are not selected again without the comments, because doing so makes as many
    pages worse as it improves.
    """
    start, end = page.text_starts[finding.container], page.text_ends[finding.container]
    is_body = [
        finding.lines is None or node.line in finding.lines for node in page.texts[start:end]
    ]
    sizes = [
        node.size if inside else 0
        for node, inside in zip(page.texts[start:end], is_body, strict=True)
    ]
    excluded = {
        place
        for index in elements
        for place in range(max(start, page.text_starts[index]), min(end, page.text_ends[index]))
    }
    words = sum(sizes[place - start] for place in excluded)
    if words > MAX_EXCLUDED * sum(sizes) and sum(sizes) - words < MIN_REMAINING:
        return finding
    return replace(finding, dropped=finding.dropped.union(elements))
