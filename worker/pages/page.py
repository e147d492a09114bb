"""A fetched page, ready to be compared and extracted."""

import re
from dataclasses import dataclass

from lxml import etree
from lxml.html import HTMLParser, HtmlElement

from worker.pages.encoding import decode
from worker.pages.errors import EmptyPageError, FramesetError, TooDeepError, TooLargeError
from worker.pages.media import check_content_type, check_root, check_signature
from worker.pages.tree import Tree

MAX_DEPTH = 512
MAX_NODES = 100_000


@dataclass(frozen=True)
class Page:
    """A parsed page.

    Parameters
    ----------
    url
        Address of the page.
    document
        Root element; to be treated as read-only.
    tree
        The elements of the document, labelled with their names.
    encoding
        Canonical name of the encoding that the page was in.
    """

    url: str
    document: HtmlElement
    tree: Tree
    encoding: str


def parse_page(html: bytes | str, url: str = "", *, content_type: str | None = None) -> Page:
    check_content_type(content_type)
    if isinstance(html, bytes):
        check_signature(html)
        decoded = decode(html, content_type)
        text, encoding = decoded.text, decoded.encoding
    else:
        text, encoding = html, "utf-8"
    text = text.replace("\x00", "").removeprefix("\ufeff")
    check_root(text)
    if not re.search("<[a-zA-Z]", text):
        raise EmptyPageError("no element")
    parser = HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_pis=True)
    document = etree.fromstring(text.encode("utf-8", "replace"), parser)
    if document is None:
        raise EmptyPageError("no element")
    if not any(t.strip() for t in document.itertext()):
        raise EmptyPageError("no text")
    if document.find("frameset") is not None:
        raise FramesetError("a frameset")
    return Page(url, document, _tree_of(document), encoding)


def _tree_of(document: HtmlElement) -> Tree:
    depth = 0
    nodes = []
    for event, element in etree.iterwalk(document, events=("start", "end")):
        if event == "end":
            depth -= 1
            continue
        nodes.append((element.tag.lower(), depth))
        depth += 1
        if depth > MAX_DEPTH:
            raise TooDeepError(f"elements nested deeper than {MAX_DEPTH}")
        if len(nodes) > MAX_NODES:
            raise TooLargeError(f"more than {MAX_NODES} elements")
    return Tree.from_preorder(nodes)
