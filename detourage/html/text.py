"""Visible text of an element."""

import re

from lxml import etree
from lxml.html import HtmlElement

from detourage.html.elements import INLINE, UNSEEN
from detourage.text.words import clean

_HIDING_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE
)


def visible_text(element: HtmlElement) -> str:
    """Return the visible text of an element, one paragraph per line."""
    return "\n".join(paragraphs(element))


def paragraphs(element: HtmlElement) -> list[str]:
    """Return the visible, non-empty paragraphs of an element.

    Paragraphs are separated by block elements and ``br``, and white space within them is
    normalised. Text is omitted if its element is never displayed or is hidden by ``hidden`` or an
    inline style.
    """
    found: list[str] = []
    line: list[str] = []

    def break_line() -> None:
        text = clean("".join(line))
        line.clear()
        if text:
            found.append(text)

    walk = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, node in walk:
        if event == "start":
            if is_hidden(node):
                walk.skip_subtree()
                continue
            if node.tag not in INLINE:
                break_line()
            if node.text:
                line.append(node.text)
            continue
        if event == "end" and node.tag not in INLINE and not is_hidden(node):
            break_line()
        if node is not element and node.tail:
            line.append(node.tail)
    break_line()
    return found


def is_hidden(element: HtmlElement) -> bool:
    """Return whether browsers hide an element because of its tag or its own attributes."""
    if element.tag in UNSEEN or element.get("hidden") is not None:
        return True
    if element.tag == "dialog":
        return element.get("open") is None
    style = element.get("style")
    return style is not None and hides(style)


def hides(style: str) -> bool:
    """Return whether an inline style hides its element."""
    return _HIDING_STYLE.search(style) is not None
