"""Declarations in the head of a page about its URL, title and site."""

from typing import NamedTuple, Self

import numpy as np

from detourage.html.flat import FlatDocument
from detourage.html.nodes import Node
from detourage.html.urls import absolute, base_of
from detourage.text import words

MAX_ADDRESS = 2_000  # length of a declared URL, in characters
MAX_TITLE = 400  # length of a heading or title, in characters


class Head(NamedTuple):
    """Declarations in the head of a page; URLs are absolute."""

    is_amp: bool
    canonical: str
    open_graph: str
    site_name: str
    title: str
    open_graph_title: str

    @classmethod
    def of(cls, flat: FlatDocument, url: str) -> Self:
        """Read the declarations of a page with the given URL."""
        base = base_of(Node(flat, 0), url)
        urls, relations = map(flat.attributes.by_element, ("href", "rel"))
        links = (
            each
            for each, relation in relations.items()
            if flat.tags[each] == "link" and "canonical" in relation.lower().split()
        )
        metas = [(name.lower(), content) for _, name, content in metas_of(flat)]
        open_graph = (content for name, content in metas if name == "og:url")
        first = {name: content[:MAX_TITLE] for name, content in reversed(metas) if content}
        titles = np.flatnonzero(flat.having(("title",))).tolist()
        return cls(
            # AMP pages may be marked with a lightning symbol, as in ``<html ⚡>``.
            is_amp=any(0 in flat.values(name) for name in ("amp", "\u26a1", "\u26a1\ufe0f")),
            canonical=next(
                filter(None, (_absolute(urls.get(each, ""), base) for each in links)), ""
            ),
            open_graph=next(filter(None, (_absolute(each, base) for each in open_graph)), ""),
            site_name=first.get("og:site_name", ""),
            title=next(filter(None, (text_of(flat, each) for each in titles)), ""),
            open_graph_title=first.get("og:title", ""),
        )


def _absolute(url: str, base: str) -> str:
    return absolute(url, base) or "" if len(url) <= MAX_ADDRESS else ""


def text_of(flat: FlatDocument, index: int) -> str:
    """Return the text of a heading or title, cut off after `MAX_TITLE` characters."""
    texts = flat.texts[flat.text_starts[index] : flat.text_ends[index]]
    return words.clean(" ".join(texts)[:MAX_TITLE])


class Meta(NamedTuple):
    """A ``meta`` element that has a property or name, and its content on one line."""

    element: int
    name: str
    content: str


def metas_of(flat: FlatDocument) -> list[Meta]:
    """Return the ``meta`` elements of a document, computed once."""

    def read() -> list[Meta]:
        attributes = flat.attributes
        properties, names = map(attributes.by_element, ("property", "name"))
        # Twitter also reads ``value``, as first documented for its cards.
        contents = {**attributes.by_element("value"), **attributes.by_element("content")}
        elements = np.flatnonzero(flat.having(("meta",))).tolist()
        named = (
            (each, (properties.get(each) or names.get(each) or "").strip()) for each in elements
        )
        return [Meta(*each, words.clean(contents.get(each[0], ""))) for each in named if each[1]]

    return flat.once(metas_of, read)
