"""Declarations in the head of a page about its URL, title and site."""

from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, Self

import numpy as np

from detourage.html.flat import FlatDocument
from detourage.html.urls import absolute
from detourage.text import words

MAX_DECLARATIONS = 500  # ``base``, ``link``, ``meta`` and ``title`` elements read from a page
MAX_ADDRESS = 2_000  # length of a declared URL, in characters
MAX_TITLE = 400  # length of a heading or title, in characters


@dataclass
class Head:
    """Declarations in the head of a page; URLs are absolute."""

    is_amp: bool = False
    canonical: str = ""
    open_graph: str = ""
    site_name: str = ""
    title: str = ""
    open_graph_title: str = ""

    @classmethod
    def of(cls, flat: FlatDocument, url: str) -> Self:
        """Read the declarations of a page with the given URL."""
        root_attributes = flat.attributes.of(0)
        # AMP pages may be marked with a lightning symbol, as in ``<html ⚡>``.
        head = cls(is_amp=not root_attributes.keys().isdisjoint(("amp", "\u26a1", "\u26a1\ufe0f")))
        base = url
        found = np.flatnonzero(flat.having({"base", "link", "meta", "title"}))
        for index in islice(found.tolist(), MAX_DECLARATIONS):
            tag, attributes = flat.tags[index], flat.attributes.of(index)
            if tag == "base" and base == url and attributes.get("href"):
                base = absolute(attributes["href"][:MAX_ADDRESS], url) or url
            elif tag == "title":
                head.title = head.title or text_of(flat, index)
            elif tag == "meta":
                head._read_meta(attributes, base)
            elif tag == "link":
                relations = attributes.get("rel", "").lower().split()
                link_url = attributes.get("href", "")
                if "canonical" in relations:
                    head.canonical = head.canonical or _absolute(link_url, base)
        return head

    def _read_meta(self, attributes: dict[str, str], base: str) -> None:
        name = (attributes.get("property") or attributes.get("name") or "").strip().lower()
        content = attributes.get("content", "")
        if name == "og:title":
            self.open_graph_title = self.open_graph_title or words.clean(content[:MAX_TITLE])
        elif name == "og:site_name":
            self.site_name = self.site_name or words.clean(content[:MAX_TITLE])
        elif name == "og:url":
            self.open_graph = self.open_graph or _absolute(content, base)


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
        properties, names, contents = map(attributes.by_element, ("property", "name", "content"))
        elements = np.flatnonzero(flat.having(("meta",))).tolist()
        named = (
            (each, (properties.get(each) or names.get(each) or "").strip()) for each in elements
        )
        return [Meta(*each, words.clean(contents.get(each[0], ""))) for each in named if each[1]]

    return flat.once(metas_of, read)
