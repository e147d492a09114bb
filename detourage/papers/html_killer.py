"""HTML Killer, the naive baseline of Daureu, Marie and Goubeau (2015, section 2.1).

This module applies the description in their report to the parsed page.
`detourage.papers.html_killer_script` reproduces what their script does to the page's code.
"""

from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from detourage.html.visible_text import NO_TEXT
from detourage.papers.conversion import page_of
from detourage.papers.interface import Extracted, Neighbours, Source, one_line

REMOVED_TAGS = frozenset({"script", "img", "form", "li", "h2", "h3", "h4", "h5", "h6"})
"""Elements that are removed with their contents."""

PARAGRAPH_ENDS = frozenset({"br", "p"})  # elements whose end also ends a paragraph


def extract(source: Source, _neighbours: Neighbours, *, markup: bool) -> Extracted:
    """Drop everything before the first ``h1`` and everything but text; split at line breaks.

    Without an ``h1``, nothing is dropped, as in the authors' script. With `markup`, each paragraph
    is a block, as in the script's marked-up output; otherwise, each is a line of a single block.
    """
    document = page_of(source).document
    heading = next(document.iter("h1"), None)
    body = document.find("body")
    root = body if body is not None else document
    title = "".join(heading.itertext()) if heading is not None else None
    return to_result(title, _paragraphs(root, heading), markup=markup)


def to_result(title: str | None, paragraphs: Sequence[str], *, markup: bool) -> Extracted:
    """Return paragraphs as blocks with `markup`, or else as lines of a single block."""
    texts = paragraphs if markup else ["\n".join(paragraphs)]
    return Extracted.from_typed_texts(title, (("paragraph", text) for text in texts))


def _paragraphs(root: HtmlElement, heading: HtmlElement | None) -> list[str]:
    """Return the paragraphs that follow the heading, or all of them if there is no heading."""
    paragraphs: list[str] = []
    parts: list[str] = []
    started = heading is None
    # Elements around the heading are never removed: only their start tags precede the heading.
    ancestors = set(heading.iterancestors()) if heading is not None else set()
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, node in walk:
        if event == "start":
            is_removed = node.tag in REMOVED_TAGS or node.tag in NO_TEXT
            if node is heading or (is_removed and node not in ancestors):
                walk.skip_subtree()
            elif started:
                parts.append(node.text or "")
            continue
        if node is heading:
            started = True
        if event == "end" and node.tag in PARAGRAPH_ENDS:
            paragraphs.append(one_line("".join(parts)))
            parts.clear()
        if started and node is not root:
            parts.append(node.tail or "")
    paragraphs.append(one_line("".join(parts)))
    return [paragraph for paragraph in paragraphs if paragraph]
