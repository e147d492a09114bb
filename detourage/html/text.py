"""HTML elements by their role in rendering, and the visible text of an element."""

import re

import numpy as np
from lxml import etree
from lxml.html import HtmlElement

from detourage.html.flat import Booleans, FlatDocument
from detourage.text.words import clean, listed

_NEVER_TEXT = listed(
    "applet audio canvas embed frame frameset head iframe noframes noscript object script style "
    "template video"
)

UNSEEN = _NEVER_TEXT | listed(
    "area base basefont datalist link meta noembed param rp source title track"
)
"""Elements whose content browsers do not display as text (HTML standard, section 15.3.1)."""

CONTROLS = listed("button input optgroup option select textarea")
"""Interactive elements."""

NO_TEXT = _NEVER_TEXT | CONTROLS | listed("map math rp rt rtc svg")
"""Elements without article text: those not rendered as text, controls, drawings, formulas and the
pronunciation above a word."""

_WORDING = listed(
    "a abbr acronym b bdi bdo big blink cite code del dfn em font i ins kbd label mark nobr q rb "
    "rt ruby s samp small span strike strong sub sup time tt u var wbr"
)

INLINE = _WORDING | listed("button data img input map meter output picture progress rtc select svg")
"""Elements rendered within a line; all other elements start and end a line."""

WITHIN_SENTENCES = _WORDING | {"data", "output", "rp"}
"""Inline elements that contain words and do not interrupt a text, unlike images and controls."""

HEADINGS = listed("h1 h2 h3 h4 h5 h6")

_PARAGRAPHS = HEADINGS | {"p"}
"""Elements in which custom elements, such as ``stock-ticker``, are inline."""


def within_sentences(flat: FlatDocument) -> Booleans:
    """Return a mask of the `WITHIN_SENTENCES` and of custom elements in paragraphs."""
    custom = np.array(["-" in tag for tag in flat.distinct_tags], dtype=np.bool_)
    inline = flat.having(WITHIN_SENTENCES)
    if custom.any():
        inline |= custom[flat.tag_numbers] & flat.within(flat.having(_PARAGRAPHS))
    return inline


DIVISIONS = HEADINGS | listed("p ul ol li dl dt dd blockquote pre center figure figcaption")
"""Blocks that divide a text; the element that contains the whole text encloses them."""

TABLE_PARTS = listed("table thead tbody tfoot tr caption")
"""Elements between a table and its cells."""


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
