"""From the text of a page to the tree that a browser builds of it (HTML standard, section 13.2)."""

import re
from itertools import count
from typing import Final

from lxml import etree
from lxml.html import HtmlElement
from selectolax.lexbor import LexborHTMLParser

from worker.pages import confined
from worker.pages.errors import TooDeepError
from worker.pages.markup import to_xml
from worker.pages.serialisation import OPTIONS, serialised

MAX_TAGS_AT_ONCE = 30_000
"""Most ``<`` in a page that is parsed here and now.

For each tag the standard looks through the elements that are open, and lexbor does so without a
limit: 100,000 of ``<ul><li>`` take it 33 s, 30,000 take 3 s. The largest of 4,569 corpus pages has
25,496.
"""

MAX_REOPENED = 1_000_000
"""Most elements that the standard may make of formatting elements which are opened again.

Formatting elements (``<font>``, ``<b>``) that are open at the end of a block are opened again in
the next: 1,000 different ones and 3,000 paragraphs, of 30 kB, make 3 million elements and 1.2 GB.
The number of different ones, three of each at most, by the number of tags is a bound.
"""

MAX_ROOTS = 50
"""Most tags of ``html`` and ``body``, whose attributes all go to the same element."""

VERY_DEEP = 1_500
"""Depth of libxml2's tree from which on the standard's is too deep for certain.

What libxml2 nests and the standard does not are elements whose end tag is left out, a few levels.
"""

_IS_VERY_DEEP = etree.XPath(f"boolean(/*{'/*' * VERY_DEEP})")

MAX_NOSCRIPTS = 2_000
"""Elements ``noscript`` whose content is parsed, 20 µs each; the most in a corpus page are 154."""

_FORMATTING = re.compile(
    r"<((?:b|big|code|em|font|i|s|small|strike|strong|tt|u)(?=[\s/>])[^>]*+)", re.IGNORECASE
)
_ROOTS = re.compile(r"<(?:html|body)(?=[\s/>])", re.IGNORECASE)
_LEAST_TAGS_WITH_MANY: Final = 600
"""Tags below which no page is beyond `MAX_REOPENED`, as three of each count at most."""

# Every element an HtmlElement: nothing here asks a form or an input for more, and a lookup in
# Python for each element costs as much as a third of the parsing.
ELEMENTS: Final = etree.ElementDefaultClassLookup(element=HtmlElement)


def parse_html(text: str, *, has_long_tags: bool = False) -> HtmlElement | None:
    """Parse a page as a browser that runs scripts does.

    Parameters
    ----------
    text
        The page, decoded, without NUL.
    has_long_tags
        Whether a tag has so many attributes that parsing may take long.

    Returns
    -------
    HtmlElement or None
        The root element, ``html``, without comments and processing instructions. What is below
        ``noscript``, a text to that browser, is parsed as well, and what is below ``template`` is
        below it.

    Raises
    ------
    TooLargeError
        If parsing would take too long or too much memory.
    TooDeepError
        If it would take long and the page is nested very deep.
    """
    if not (has_long_tags or may_be_costly(text)):
        return document_of(serialised(text))
    # Of many attributes libxml2 makes a longer thing still.
    if not has_long_tags:
        _check_depth(text)
    return document_of(confined.serialised(text))


def may_be_costly(text: str) -> bool:
    """Tell whether a page might take seconds or a gigabyte to parse."""
    tags = text.count("<")
    if tags > MAX_TAGS_AT_ONCE or len(_ROOTS.findall(text)) > MAX_ROOTS:
        return True
    if tags < _LEAST_TAGS_WITH_MANY:
        return False
    copies: dict[str, int] = {}
    for tag in _FORMATTING.findall(text):
        copies[tag] = min(3, copies.get(tag, 0) + 1)
    return sum(copies.values()) * tags > MAX_REOPENED


def document_of(html: bytes) -> HtmlElement | None:
    """Build the document of a serialised page."""
    numbers = count(1)

    def noscript(content: bytes) -> bytes:
        if next(numbers) > MAX_NOSCRIPTS:
            return b""
        fragment = LexborHTMLParser(content, is_fragment=True, options=OPTIONS, scripting=True)
        return to_xml((fragment.html or "").encode())

    parser = etree.XMLParser(
        encoding="utf-8",
        huge_tree=True,
        no_network=True,
        load_dtd=False,
        resolve_entities=False,
        collect_ids=False,
        # Prefixes of names (``fb:like``) are no namespaces here, which is an error in XML.
        recover=True,
    )
    parser.set_element_class_lookup(ELEMENTS)
    document: HtmlElement | None = etree.fromstring(to_xml(html, noscript), parser)
    return document


def _check_depth(text: str) -> None:
    """Refuse a page at once that libxml2, which drops what is nested deeper, finds very deep."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    document = etree.fromstring(text.encode(), parser)
    if document is not None and _IS_VERY_DEEP(document):
        raise TooDeepError(f"elements are nested deeper than {VERY_DEEP}")
