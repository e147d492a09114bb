"""lxml documents, in a module that is imported only when needed, because importing takes 17 ms."""

from typing import Any, Final

from lxml import etree
from lxml.html import HtmlElement

from detourage.html.page_errors import TooDeepError
from detourage.limits import MAX_DEPTH

MAX_LIBXML2_DEPTH = 1_500
"""Depth of libxml2's tree at which the tree that a browser builds is certainly too deep.

libxml2's tree is the deeper one only if end tags are omitted, and only by a few levels."""

_IS_TOO_DEEP = etree.XPath(f"boolean(/*{'/*' * MAX_LIBXML2_DEPTH})")
# Every element is a plain HtmlElement: form methods are not needed, and looking up the class of
# each element in Python would add a third to the time of parsing.
_ELEMENTS: Final = etree.ElementDefaultClassLookup(element=HtmlElement)
_OPTIONS: dict[str, Any] = {
    "encoding": "utf-8",
    **dict.fromkeys(("huge_tree", "no_network"), True),
    **dict.fromkeys(("load_dtd", "resolve_entities", "collect_ids"), False),
}


def check_depth(markup: bytes) -> None:
    """Raise `TooDeepError` if the elements of a page are certainly nested too deeply."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    document = etree.fromstring(markup, parser)
    if document is not None and _IS_TOO_DEEP(document):
        raise TooDeepError(f"elements are nested deeper than {MAX_DEPTH}")


def parse_repaired(xml: bytes) -> HtmlElement:
    """Parse a serialised page as XML, despite errors."""
    # An undeclared namespace prefix (``fb:like``) is an error in XML.
    parser = etree.XMLParser(**_OPTIONS, recover=True)
    parser.set_element_class_lookup(_ELEMENTS)
    document: HtmlElement = etree.fromstring(xml, parser)
    return document
