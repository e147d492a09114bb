"""Parse a page into the tree that a browser builds (HTML standard, section 13.2)."""

from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Final, NamedTuple

import numpy as np
from lxml import etree
from lxml.html import HtmlElement
from selectolax.lexbor import LexborHTMLParser

from detourage.html import _markup
from detourage.html.errors import TooDeepError
from detourage.html.flat import Attributes, Elements, FlatDocument, Pieces
from detourage.html.serialisation import OPTIONS, serialised

MAX_TAGS_AT_ONCE = 30_000
"""Maximum number of ``<`` in a page that is parsed in this process.

For each tag, lexbor searches all open elements: 100,000 tags of nested ``<ul><li>`` take 33 s.
"""

MAX_REOPENED = 1_000_000
"""Maximum number of elements that reopened formatting elements may add in this process.

Formatting elements (``<font>``, ``<b>``) that are still open at the end of a block are reopened in
the next one, so 30 kB of markup can produce 3 million elements. An upper bound is the number of
formatting elements (counting equal ones at most three times) multiplied by the number of tags.
"""

MAX_ATTRIBUTES = 1_000
"""Maximum number of attributes per element; lexbor takes 18 s to read 100,000 attributes."""

MAX_ROOTS = 50
"""Maximum number of ``html`` and ``body`` tags in a page that is parsed in this process.

The parser merges the attributes of all of them into one element each.
"""

VERY_DEEP = 1_500
"""Depth of libxml2's tree at which the standard's tree is certainly too deep.

libxml2's tree is deeper only for elements with omitted end tags, and only by a few levels.
"""

_IS_VERY_DEEP = etree.XPath(f"boolean(/*{'/*' * VERY_DEEP})")

MAX_NOSCRIPTS = 2_000
"""Maximum number of ``noscript`` elements whose content is parsed, which takes 20 µs each."""

# Every element is a plain HtmlElement: the methods of forms are not needed, and a class lookup in
# Python for every element would take a third as long as parsing.
ELEMENTS: Final = etree.ElementDefaultClassLookup(element=HtmlElement)


class Survey(NamedTuple):
    """Figures that predict the cost of parsing a page.

    `tags` counts ``<``, and `roots` counts ``html`` and ``body`` tags. `attributes` is the maximum
    per tag, including apparent tags in scripts. `formatting` are all formatting tags with their
    attributes, without brackets.
    """

    tags: int
    roots: int
    attributes: int
    formatting: list[bytes]


def parse_html(text: str) -> FlatDocument | None:
    """Parse a text like a browser with scripting enabled; return None if it has no elements.

    The text must not contain NUL or lone surrogates. The content of ``noscript`` is parsed as well,
    and the content of ``template`` becomes its children. Raises TooLargeError or TooDeepError if
    parsing would exceed the limits.
    """
    survey = Survey(*_markup.survey(text.encode()))
    has_long_tags = survey.attributes > MAX_ATTRIBUTES
    if not (has_long_tags or may_be_costly(survey)):
        return flattened(serialised(text))
    # Many attributes are even more expensive in libxml2.
    if not has_long_tags:
        parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
        document = etree.fromstring(text.encode(), parser)
        if document is not None and _IS_VERY_DEEP(document):
            raise TooDeepError(f"elements are nested deeper than {VERY_DEEP}")
    # Imported here because few pages need a child process and the import takes 5 ms.
    from detourage.html import confined

    return flattened(confined.serialised(text))


def may_be_costly(survey: Survey) -> bool:
    """Return whether a page might take seconds or a gigabyte to parse."""
    if survey.tags > MAX_TAGS_AT_ONCE or survey.roots > MAX_ROOTS:
        return True
    reopened = sum(min(3, number) for number in Counter(survey.formatting).values())
    return reopened * survey.tags > MAX_REOPENED


def flattened(html: bytes) -> FlatDocument | None:
    """Flatten a serialised page; return None if it has no elements.

    The result equals ``FlatDocument.of(document_of(html))``, but its elements are built lazily.
    """
    tags, names, attributes, pieces, values, *numbers = _markup.flatten(html, _noscript_parser())
    if not tags:
        return None
    columns = [np.frombuffer(column, dtype=np.int64) for column in numbers]
    parents, ends, tag_numbers, name_numbers, text_starts, text_ends = columns[:6]
    shown, piece_parents, after, owners, attribute_names = columns[6:]
    every = np.arange(len(parents))
    return FlatDocument(
        elements=Elements(lambda: document_of(html), every),
        distinct_tags=tags,
        tag_numbers=tag_numbers,
        distinct_names=names,
        name_numbers=name_numbers,
        parents=parents,
        ends=ends,
        texts=[*map(pieces.__getitem__, shown.tolist())],
        text_parents=piece_parents[shown],
        text_starts=text_starts,
        text_ends=text_ends,
        numbers=every,
        pieces=Pieces(pieces, piece_parents, after),
        attributes=Attributes(attributes, owners, attribute_names, values),
    )


def document_of(html: bytes) -> HtmlElement | None:
    """Build the lxml document of a serialised page."""
    parser = etree.XMLParser(
        encoding="utf-8",
        huge_tree=True,
        no_network=True,
        load_dtd=False,
        resolve_entities=False,
        collect_ids=False,
        # Prefixes in names (``fb:like``) do not denote namespaces here, which is an error in XML.
        recover=True,
    )
    parser.set_element_class_lookup(ELEMENTS)
    xml = _markup.to_xml(html, _noscript_parser())
    document: HtmlElement | None = etree.fromstring(xml, parser)
    return document


def _noscript_parser() -> Callable[[bytes], bytes]:
    """Return a parser for the page's ``noscript`` content."""
    numbers = count(1)

    def parsed(content: bytes) -> bytes:
        if next(numbers) > MAX_NOSCRIPTS:
            return b""
        fragment = LexborHTMLParser(content, is_fragment=True, options=OPTIONS, scripting=True)
        return (fragment.html or "").encode()

    return parsed
