"""CleanEval's markup, in which segments of a text begin with ``<h>``, ``<p>`` or ``<l>``."""

import re
from collections.abc import Iterable

from lxml.html.defs import tags as html_elements

from benchmarks.evaluation.scores.records import HEADING, LIST_ITEM, PARAGRAPH, TextBlock

MARKS = {HEADING: "<h>", LIST_ITEM: "<l>", PARAGRAPH: "<p>"}
"""Mark of each type of block; any other type is running text (``<p>``)."""

# The letters are those of the marks, as in "<h>".
_TYPES = {"h": HEADING, "p": PARAGRAPH, "l": LIST_ITEM}

_MARK = re.compile(r"<([hpl])>", re.IGNORECASE)  # such as "<p>"
_URL_LINE = re.compile(r"\A\s*URL:.*$", re.MULTILINE)  # first line of CleanEval's gold files
_INVISIBLE = re.compile(
    r"<!--.*?-->|<!DOCTYPE[^>]*>|<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE
)
_HTML_TAG = re.compile(
    rf"</[hl]>|</?(?:{'|'.join(sorted(html_elements, key=len, reverse=True))})(?:\s[^>]*)?/?>",
    re.IGNORECASE,
)


def read_markup(markup: str) -> tuple[TextBlock, ...]:
    """Read a text in CleanEval's markup as segments with collapsed whitespace.

    A first line with the page's URL is left out, as is all other HTML. Segments without words are
    kept, because their marks count; text before the first mark has the empty type. See M. Baroni,
    F. Chantree, A. Kilgarriff and S. Sharoff, "CleanEval: a competition for cleaning web pages",
    LREC 2008; Lejeune et al. (2015), section 4.1.
    """
    text = _INVISIBLE.sub(" ", _URL_LINE.sub("", markup))
    unmarked, *marked = _MARK.split(text)
    blocks = [
        TextBlock(_TYPES[mark.lower()], _strip_tags(segment))
        for mark, segment in zip(marked[::2], marked[1::2], strict=True)
    ]
    if _strip_tags(unmarked):
        blocks.insert(0, TextBlock("", _strip_tags(unmarked)))
    return tuple(blocks)


def write_markup(blocks: Iterable[TextBlock]) -> str:
    """Write blocks in CleanEval's markup, one per line."""
    return "\n".join(f"{mark_of(block.type)}{block.text}" for block in blocks)


def mark_of(block_type: str) -> str:
    """Return the mark of a type of block, or the empty string for unmarked text."""
    return MARKS.get(block_type, MARKS[PARAGRAPH]) if block_type else ""


def _strip_tags(segment: str) -> str:
    return " ".join(_HTML_TAG.sub(" ", segment).split())
