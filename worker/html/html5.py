"""From the text of a page to the tree that a browser builds of it (HTML standard, section 13.2)."""

from collections import Counter
from itertools import count
from typing import Final

from lxml import etree
from lxml.html import HtmlElement
from selectolax.lexbor import LexborHTMLParser

from worker.html import markup
from worker.html.errors import TooDeepError
from worker.html.flat import FlatDocument
from worker.html.serialisation import OPTIONS, serialised

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

MAX_ATTRIBUTES = 1_000
"""Most attributes of an element; lexbor takes 18 s to read 100,000 of them.

The most in 2,814 corpus pages are 78.
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

# Every element an HtmlElement: nothing here asks a form or an input for more, and a lookup in
# Python for each element costs as much as a third of the parsing.
ELEMENTS: Final = etree.ElementDefaultClassLookup(element=HtmlElement)


def parse_html(text: str) -> FlatDocument | None:
    """Parse a page as a browser that runs scripts does.

    Parameters
    ----------
    text
        The page, decoded, without NUL and halves of surrogate pairs.

    Returns
    -------
    FlatDocument or None
        The document from its root element, ``html``, without comments and processing
        instructions. What is below ``noscript``, a text to that browser, is parsed as well, and
        what is below ``template`` is below it.

    Raises
    ------
    TooLargeError
        If parsing would take too long or too much memory.
    TooDeepError
        If it would take long and the page is nested very deep.
    """
    survey = markup.survey(text.encode())
    has_long_tags = survey.attributes > MAX_ATTRIBUTES
    if not (has_long_tags or may_be_costly(survey)):
        return flattened(serialised(text))
    # Of many attributes libxml2 makes a longer thing still.
    if not has_long_tags:
        _check_depth(text)
    # Few pages need a process, and what starts one takes 5 ms to import.
    from worker.html import confined

    return flattened(confined.serialised(text))


def may_be_costly(survey: markup.Survey) -> bool:
    """Tell whether a page might take seconds or a gigabyte to parse."""
    if survey.tags > MAX_TAGS_AT_ONCE or survey.roots > MAX_ROOTS:
        return True
    reopened = sum(min(3, number) for number in Counter(survey.formatting).values())
    return reopened * survey.tags > MAX_REOPENED


def flattened(html: bytes) -> FlatDocument | None:
    """Flatten a serialised page, whose elements are built when somebody asks for them."""
    return markup.flatten(html, _noscript_parser(), document_of)


def document_of(html: bytes) -> HtmlElement | None:
    """Build the document of a serialised page."""
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
    xml = markup.to_xml(html, _noscript_parser())
    document: HtmlElement | None = etree.fromstring(xml, parser)
    return document


def _noscript_parser() -> markup.Noscript:
    """Return what parses the content of a page's `noscript` elements."""
    numbers = count(1)

    def parsed(content: bytes) -> bytes:
        if next(numbers) > MAX_NOSCRIPTS:
            return b""
        fragment = LexborHTMLParser(content, is_fragment=True, options=OPTIONS, scripting=True)
        return (fragment.html or "").encode()

    return parsed


def _check_depth(text: str) -> None:
    """Refuse a page at once that libxml2, which drops what is nested deeper, finds very deep."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    document = etree.fromstring(text.encode(), parser)
    if document is not None and _IS_VERY_DEEP(document):
        raise TooDeepError(f"elements are nested deeper than {VERY_DEEP}")
