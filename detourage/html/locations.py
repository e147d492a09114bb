"""Locations of an article's parts in its page."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Location:
    """The location of a part of an article in its page.

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


class TextLocation(NamedTuple):
    """The location of a text node that contains a part of a block's text.

    Attributes
    ----------
    start, end
        Character offsets of the part in the article's text.
    xpath
        XPath of the node's parent, relative to the block's element; empty for that element itself.
    offset
        Character offset of the part in the concatenation of the parent's own text nodes.
    byte_start, byte_end
        Byte offsets of the node in the page as fetched, without whitespace around it; None if
        unknown. Between them may be comments, and tags that a browser ignores.
    """

    start: int
    end: int
    xpath: str
    offset: int
    byte_start: int | None = None
    byte_end: int | None = None


@dataclass(frozen=True)
class ValueLocations:
    """Locations of values outside the body (None if unknown), with those of authors in order."""

    title: Location | None = None
    lead: Location | None = None
    authors: tuple[Location | None, ...] = ()
    published: Location | None = None
    modified: Location | None = None
