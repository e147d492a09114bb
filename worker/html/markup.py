"""Conversion of serialised HTML to XML or to a flat document, described in ``_markup.c``."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from lxml.html import HtmlElement

from worker.html import _markup
from worker.html.flat import Attributes, Elements, FlatDocument, Pieces

Noscript = Callable[[bytes], bytes]
Build = Callable[[bytes], HtmlElement | None]


def to_xml(html: bytes, noscript: Noscript | None = None) -> bytes:
    """Convert HTML as serialised by a parser to XML, both in UTF-8.

    `noscript` parses and serialises the content of a ``noscript`` element; None keeps it as text.
    Names are in lower case, with ``_`` for characters not allowed in XML element names. Attributes
    whose names contain such characters, namespace declarations, comments, processing instructions,
    the document type and characters not allowed in XML are omitted.
    """
    return _markup.to_xml(html, noscript)


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


def survey(html: bytes) -> Survey:
    """Scan a page in UTF-8 before it is parsed."""
    return Survey(*_markup.survey(html))


def flatten(html: bytes, noscript: Noscript | None, build: Build) -> FlatDocument | None:
    """Flatten serialised HTML; return None if it has no elements.

    The result equals `FlatDocument.of` the document that `build` returns. For `noscript`, see
    `to_xml`.
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
