"""Parsing of a page into the tree that a browser builds (HTML standard, section 13.2)."""

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
"""Maximum number of ``<`` in a page that is parsed in this process.

For each tag the standard searches the open elements, and lexbor does so without a limit: it takes
33 s for 100,000 of ``<ul><li>``, and 3 s for 30,000. The largest of 4,569 corpus pages has 25,496.
"""

MAX_REOPENED = 1_000_000
"""Maximum number of elements that reopened formatting elements may add.

Formatting elements (``<font>``, ``<b>``) still open at the end of a block are reopened in the next
one: 1,000 distinct ones and 3,000 paragraphs, 30 kB in all, make 3 million elements and 1.2 GB. The
upper bound is the number of distinct ones, each counted three times at most, times the number of
tags.
"""

MAX_ATTRIBUTES = 1_000
"""Maximum number of attributes of an element; lexbor takes 18 s to read 100,000 of them.

The maximum in 2,814 corpus pages is 78.
"""

MAX_ROOTS = 50
"""Maximum number of ``html`` and ``body`` tags, whose attributes are merged into one element."""

VERY_DEEP = 1_500
"""Depth of libxml2's tree at which the standard's tree is certainly too deep.

Only elements with omitted end tags nest deeper in libxml2 than in the standard, by a few levels.
"""

_IS_VERY_DEEP = etree.XPath(f"boolean(/*{'/*' * VERY_DEEP})")

MAX_NOSCRIPTS = 2_000
"""Maximum number of ``noscript`` elements whose content is parsed, at 20 µs each. The corpus
maximum is 154.
"""

# Every element is a plain HtmlElement: no form methods are needed, and a Python lookup per element
# costs as much as a third of the parsing.
ELEMENTS: Final = etree.ElementDefaultClassLookup(element=HtmlElement)


def parse_html(text: str) -> FlatDocument | None:
    """Parse a page like a browser with scripting enabled.

    Parameters
    ----------
    text
        The decoded page, without NUL and lone surrogates.

    Returns
    -------
    FlatDocument or None
        The document from its root element, ``html``, without comments and processing
        instructions. The content of ``noscript``, text to such a browser, is parsed as well;
        the content of ``template`` is made its children.

    Raises
    ------
    TooLargeError
        If parsing would take too long or too much memory.
    TooDeepError
        If the page is costly to parse and nested very deep.
    """
    survey = markup.survey(text.encode())
    has_long_tags = survey.attributes > MAX_ATTRIBUTES
    if not (has_long_tags or may_be_costly(survey)):
        return flattened(serialised(text))
    # Many attributes cost libxml2 even more.
    if not has_long_tags:
        _check_depth(text)
    # Few pages need a child process, and importing what starts one takes 5 ms.
    from worker.html import confined

    return flattened(confined.serialised(text))


def may_be_costly(survey: markup.Survey) -> bool:
    """Return whether a page might take seconds or a gigabyte to parse."""
    if survey.tags > MAX_TAGS_AT_ONCE or survey.roots > MAX_ROOTS:
        return True
    reopened = sum(min(3, number) for number in Counter(survey.formatting).values())
    return reopened * survey.tags > MAX_REOPENED


def flattened(html: bytes) -> FlatDocument | None:
    """Flatten a serialised page; its elements are built lazily."""
    return markup.flatten(html, _noscript_parser(), document_of)


def document_of(html: bytes) -> HtmlElement | None:
    """Build the lxml document of a serialised page."""
    parser = etree.XMLParser(
        encoding="utf-8",
        huge_tree=True,
        no_network=True,
        load_dtd=False,
        resolve_entities=False,
        collect_ids=False,
        # Prefixes in names (``fb:like``) are not namespaces here, which XML treats as an error.
        recover=True,
    )
    parser.set_element_class_lookup(ELEMENTS)
    xml = markup.to_xml(html, _noscript_parser())
    document: HtmlElement | None = etree.fromstring(xml, parser)
    return document


def _noscript_parser() -> markup.Noscript:
    """Return a parser of the page's ``noscript`` content."""
    numbers = count(1)

    def parsed(content: bytes) -> bytes:
        if next(numbers) > MAX_NOSCRIPTS:
            return b""
        fragment = LexborHTMLParser(content, is_fragment=True, options=OPTIONS, scripting=True)
        return (fragment.html or "").encode()

    return parsed


def _check_depth(text: str) -> None:
    """Raise for a page that is very deep in libxml2's tree, without starting a child process."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    document = etree.fromstring(text.encode(), parser)
    if document is not None and _IS_VERY_DEEP(document):
        raise TooDeepError(f"elements are nested deeper than {VERY_DEEP}")
