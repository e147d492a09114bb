"""Places in a page, and lookup of elements by path."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from lxml.html import HtmlElement

from worker.html.flat import FlatDocument

_STEP = re.compile(r"([^/\[\]]+)(?:\[(\d{1,6})\])?")


@dataclass(frozen=True)
class Place:
    """The place of a part of an article in its page.

    Attributes
    ----------
    xpath
        XPath of the element in the tree that a browser builds; if it does not start with a slash,
        it is relative to the article's ``xpath``, and empty for that element itself.
    attribute
        Name of the attribute that contains the value; None if the element's text does.
    start, end
        Byte offsets into the page as fetched, or None if unknown. They delimit the text or, if
        there is none, the start tag. Offsets into a page given as text are those of its UTF-8
        encoding.
    """

    xpath: str
    attribute: str | None = None
    start: int | None = None
    end: int | None = None


class TextPlace(NamedTuple):
    """The place of a text node that contains a part of a block's text.

    Attributes
    ----------
    start, end
        Character offsets of the part in the article's text.
    xpath
        XPath of the node's parent, relative to the block's element; empty for that element itself.
    offset
        Character offset of the part in the joined text nodes of the parent, without those of other
        elements.
    byte_start, byte_end
        Byte offsets of the node in the page as fetched, without white space around it; None if
        unknown. Between them may be comments, and tags that a browser ignores.
    """

    start: int
    end: int
    xpath: str
    offset: int
    byte_start: int | None = None
    byte_end: int | None = None


@dataclass(frozen=True)
class ValuePlaces:
    """The places of an article's values outside of its body; None for those not found.

    `authors` are parallel to the article's authors.
    """

    title: Place | None = None
    lead: Place | None = None
    authors: tuple[Place | None, ...] = ()
    published: Place | None = None
    modified: Place | None = None


def element_at(document: HtmlElement, path: str) -> HtmlElement | None:
    """Return the element at a path in the format of lxml's ``getpath``, or None.

    lxml's XPath rejects some of these paths, because elements such as ``fb:like`` have a prefix
    without a namespace.
    """
    element: HtmlElement | None = document
    for step in path.split("/")[2:]:
        if element is None:
            break
        tag, _, rank = step.rstrip("]").partition("[")
        same = (child for child in element.iterchildren() if child.tag == tag)
        element = next(islice(same, int(rank or 1) - 1, None), None)
    return element


def index_at(flat: FlatDocument, path: str) -> int | None:
    """Return the index of the element at an absolute XPath of positional steps, or None."""
    element = -1
    for step in path.split("/")[1:]:
        match = _STEP.fullmatch(step)
        child, end = element + 1, int(flat.ends[element]) if element >= 0 else len(flat.tags)
        left = int(match[2] or 1) if match else 0
        while match and child < end:
            left -= flat.tags[child] == match[1]
            if not left:
                break
            child = int(flat.ends[child])
        if left or child >= end:
            return None
        element = child
    return element if element >= 0 else None
