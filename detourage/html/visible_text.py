"""HTML elements by their role in rendering, and the visible text of an element."""

import re

import numpy as np

from detourage.html.flat import Booleans, FlatDocument, HtmlElement
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import clean, word_set

_NEVER_TEXT = word_set(
    "applet audio canvas embed frame frameset head iframe noframes noscript object script style "
    "template video"
)
# Elements whose content browsers do not display as text (HTML standard, section 15.3.1).
UNSEEN = _NEVER_TEXT | word_set(
    "area base basefont datalist link meta noembed param rp source title track"
)
CONTROLS = word_set("button input optgroup option select textarea")  # interactive elements
# Elements without article text: unrendered ones, controls, drawings, formulas, pronunciation.
NO_TEXT = _NEVER_TEXT | CONTROLS | word_set("map math rp rt rtc svg")
_PHRASING = word_set(
    "a abbr acronym b bdi bdo big blink cite code del dfn em font i ins kbd label mark nobr q rb "
    "rt ruby s samp small span strike strong sub sup time tt u var wbr"
)
# Elements rendered within a line; all other elements start and end a line.
INLINE = _PHRASING | word_set(
    "button data img input map meter output picture progress rtc select svg"
)
# Inline elements that contain words and do not interrupt a text, unlike images and controls.
WITHIN_SENTENCES = _PHRASING | {"data", "output", "rp"}
HEADINGS = word_set("h1 h2 h3 h4 h5 h6")
MAX_QUESTION_TEXTS = 20  # text nodes in a button with a question
_WITH_BUTTONS = HEADINGS | {"p", "dt"}  # elements in which buttons may be part of the text


def text_buttons(flat: FlatDocument) -> Booleans:
    """Return a mask of the buttons that are part of the text.

    Such a button has text on both sides (it explains a word of a sentence) or on neither (it is a
    whole heading that opens the text below), or is a question. Other buttons are controls.
    """
    return flat.once(text_buttons, lambda: _text_buttons(flat))


def _text_buttons(flat: FlatDocument) -> Booleans:
    if "button" not in flat.distinct_tags:
        return np.zeros(len(flat.tag_numbers), dtype=np.bool_)
    mask = flat.having(("button",))
    is_paragraph = flat.having(_WITH_BUTTONS)
    buttons = np.flatnonzero(mask & flat.within(is_paragraph))
    paragraphs = flat.nearest_marked(is_paragraph)[buttons]
    is_text = ~flat.within(flat.having(NO_TEXT))[flat.text_parents]
    texts_before = np.concatenate([[0], np.cumsum(is_text)])
    starts, ends = flat.text_starts, flat.text_ends
    has_text_before = texts_before[starts[buttons]] > texts_before[starts[paragraphs]]
    has_text_after = texts_before[ends[paragraphs]] > texts_before[ends[buttons]]
    mask[:] = False
    mask[buttons[has_text_before == has_text_after]] = True
    for button in flat.values("aria-expanded"):  # A question unfolds its answer.
        if flat.tags[button] == "button" and ends[button] - starts[button] <= MAX_QUESTION_TEXTS:
            text = " ".join(flat.texts[starts[button] : ends[button]]).rstrip()
            mask[button] |= text.endswith(("?", "？", "؟", ";"))
    return mask


def without_text(flat: FlatDocument) -> Booleans:
    """Return a mask of the `NO_TEXT` elements, except `text_buttons`."""
    return flat.having(NO_TEXT) & ~text_buttons(flat)


# Blocks that contain only a part of an article's text, such as a paragraph or a list.
DIVISIONS = HEADINGS | word_set("p ul ol li dl dt dd blockquote pre center figure figcaption")
TABLE_PARTS = word_set("table thead tbody tfoot tr caption")  # elements that may contain cells
_HIDING_STYLE = lazy_pattern(  # "display: none", "visibility: hidden"
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE
)


def visible_text(element: HtmlElement) -> str:
    """Return the visible text of an element, one paragraph per line."""
    return "\n".join(paragraphs(element))


def paragraphs(element: HtmlElement) -> list[str]:
    """Return the visible, non-empty paragraphs of an element, with normalised whitespace."""
    found: list[str] = []
    line: list[str] = []

    def break_line() -> None:
        text = clean("".join(line))
        line.clear()
        if text:
            found.append(text)

    from lxml import etree

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
    lower = style.lower()
    may_hide = "none" in lower or "hidden" in lower or "collapse" in lower
    return may_hide and _HIDING_STYLE.search(style) is not None


def unescape(text: str) -> str:
    """Return a text with its character references decoded."""
    if "&" not in text:
        return text
    # Imported here because the table of all names is slow to load, and few pages need it.
    from html import unescape as decode

    return decode(text)
