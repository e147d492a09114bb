"""The text that a reader sees in a part of a page."""

import re
import unicodedata

from lxml import etree
from lxml.html import HtmlElement


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


UNSEEN = _names(
    "applet area audio base basefont canvas datalist embed frame frameset head iframe link meta "
    "noembed noframes noscript object param rp script source style template title track "
    "video"
)
"""Elements whose content a browser does not show as text (HTML standard, section 15.3.1)."""

INLINE = _names(
    "a abbr acronym b bdi bdo big blink button cite code data del dfn em font i img input ins kbd "
    "label map mark meter nobr output picture progress q rb rt rtc ruby s samp select small span "
    "strike strong sub sup svg time tt u var wbr"
)
"""Elements that stand within a line; every other one begins and ends a line of its own."""

_HIDING_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE
)
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")

_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u30ff\u3105-\u318f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
# Vowel signs and accents of their own are part of a word, which \w does not know.
_MARKS = "".join(
    character
    for character in map(chr, range(0x300, 0x10000))
    if unicodedata.category(character).startswith("M")
)
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}](?:[^\W_{_CJK}]|[{_MARKS}])*")


def words(text: str) -> list[str]:
    """Split a text into its words, in order.

    A word is what stands between white space and punctuation (paper 000, section 4.4.1). A
    Chinese, Japanese or Korean character is a word of its own.
    """
    return _WORD.findall(text)


def visible_text(element: HtmlElement) -> str:
    """Return the text that a browser shows of an element, one paragraph a line."""
    return "\n".join(paragraphs(element))


def paragraphs(element: HtmlElement) -> list[str]:
    """Return the stretches of text that a browser shows of an element, none of them empty.

    Block elements and ``br`` part them; white space within is normalised. Text is left out that
    is hidden by the kind of its element, by ``hidden`` or by an inline style.
    """
    found: list[str] = []
    line: list[str] = []

    def break_line() -> None:
        text = " ".join(_INVISIBLE.sub("", "".join(line)).split())
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
    """Say whether a browser shows nothing of an element, for its kind or by its own attributes."""
    if element.tag in UNSEEN or element.get("hidden") is not None:
        return True
    if element.tag == "dialog":
        return element.get("open") is None
    style = element.get("style")
    return style is not None and _HIDING_STYLE.search(style) is not None
