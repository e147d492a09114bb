"""The area of a page that belongs to its readers: comments and what stands between them."""

from collections.abc import Sequence

from lxml.html import HtmlElement

from worker.comments.extents import extents_of
from worker.html.flat import FlatDocument
from worker.html.text import visible_text
from worker.text.words import tokens

MAX_BETWEEN = 100
"""Maximum length, in words, of an element between two comments: a form, a button, an advertisement.

A longer one may be the article, if some comments stand above it.
"""


def comment_area(page: FlatDocument, records: Sequence[HtmlElement]) -> list[HtmlElement]:
    """Return the outermost elements that hold comments or stand between two of them.

    `records` are elements that hold one comment each, in document order.
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
