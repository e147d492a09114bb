"""The comment area of a page: the comments and whatever lies between them."""

from collections.abc import Sequence

from lxml.html import HtmlElement

from worker.comments.extents import extents_of
from worker.html.flat import FlatDocument
from worker.html.text import visible_text
from worker.text.words import tokens

MAX_BETWEEN = 100
"""Maximum number of words in an element between two comments, such as a form or an advertisement.

A longer element may be the article itself, with some of the comments above it.
"""


def comment_area(page: FlatDocument, records: Sequence[HtmlElement]) -> list[HtmlElement]:
    """Return the outermost elements that contain comments or lie between two comments.

    `records` are elements containing one comment each, in document order.
    """
    extents = extents_of(page, page.places_of(records))
    rows = [page.elements[row] for extent in extents for row in extent.rows]
    within = set(rows)
    outermost = [row for row in rows if within.isdisjoint(row.iterancestors())]
    area = dict.fromkeys(outermost)
    for row in outermost:
        between: list[HtmlElement] = []
        for sibling in row.itersiblings():
            if sibling in area:
                area.update(dict.fromkeys(between))
                break
            if len(tokens(visible_text(sibling))) > MAX_BETWEEN:
                break
            between.append(sibling)
    return list(area)
