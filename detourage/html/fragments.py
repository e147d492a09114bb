"""Article texts stored outside a page's markup, for example in JSON, with or without tags."""

import re
from html import escape, unescape

from detourage.html.errors import PageError
from detourage.html.page import parse_page
from detourage.html.text import paragraphs

_MARKUP = re.compile(r"</?(?:p|br|div|h[1-6]|li|ul|blockquote|figure|section|a|strong|em)\b[^<>]*>")
_ESCAPED_MARKUP = re.compile(r"&lt;/?(?:p|br|div|h[1-6])\b", re.IGNORECASE)


def to_html(text: str) -> str:
    """Convert a string to HTML with a paragraph per line, unless it already contains tags."""
    if _ESCAPED_MARKUP.search(text):
        text = unescape(text)
    if _MARKUP.search(text):
        return text
    lines = (line.strip() for line in unescape(text).splitlines())
    return "".join(f"<p>{escape(line)}</p>" for line in lines if line)


def plain_paragraphs(text: str) -> list[str]:
    """Return the visible, non-empty paragraphs of a string."""
    try:
        return paragraphs(parse_page(f"<html><body>{to_html(text)}</body></html>").document)
    except PageError:
        return []
