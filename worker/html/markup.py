"""HTML as a parser serialises it, written as XML or flattened.

What comes out is well-formed, whatever comes in. The serialisation (HTML standard, section 13.3)
leaves little to decide: every attribute has a quoted value, every element but the void ones an end
tag, and a text every escape.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from lxml.html import HtmlElement

from worker.html import _markup
from worker.html.flat import Attributes, Elements, FlatDocument, Pieces

Noscript = Callable[[bytes], bytes]
Build = Callable[[bytes], HtmlElement | None]


def to_xml(html: bytes, noscript: Noscript | None = None) -> bytes:
    """Write serialised HTML as XML.

    Parameters
    ----------
    html
        HTML as a parser serialises it, UTF-8.
    noscript
        Given what a ``noscript`` element holds, which a parser that scripts runs takes for text;
        returns the same of the markup that it is, which stands in its place. None to keep it a
        text.

    Returns
    -------
    bytes
        XML, UTF-8. Names are in lower case, with ``_`` for what XML has no place for in the name of
        an element; attributes of such names, those that declare namespaces, comments, processing
        instructions and the document type are left out, and so are characters that XML does not
        know.
    """
    return _markup.to_xml(html, noscript)


class Survey(NamedTuple):
    """What tells of a page whether it may take long to parse.

    Attributes
    ----------
    tags
        Times that it has ``<``.
    roots
        Tags of ``html`` and ``body``.
    attributes
        The most attributes of a tag, or of what looks like one in a script.
    formatting
        Tags of formatting elements, with their attributes, without brackets.
    """

    tags: int
    roots: int
    attributes: int
    formatting: list[bytes]


def survey(html: bytes) -> Survey:
    """Look through a page, UTF-8, before it is parsed."""
    return Survey(*_markup.survey(html))


def flatten(html: bytes, noscript: Noscript | None, build: Build) -> FlatDocument | None:
    """Flatten serialised HTML, as `FlatDocument.of` does the document that its XML makes.

    Parameters
    ----------
    html, noscript
        As for `to_xml`.
    build
        Makes that document.

    Returns
    -------
    FlatDocument or None
        None where there is no element.
    """
    tags, names, attributes, pieces, values, *numbers = _markup.flatten(html, noscript)
    if not tags:
        return None
    columns = [np.frombuffer(column, dtype=np.int64) for column in numbers]
    parents, ends, tag_numbers, name_numbers, text_starts, text_ends = columns[:6]
    shown, piece_parents, after, owners, attribute_names = columns[6:]
    every = np.arange(len(parents))
    return FlatDocument(
        elements=Elements(lambda: build(html), every),
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
