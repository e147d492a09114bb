"""HTML Killer as implemented in its authors' script: substitutions in the page's code.

Source: Daureu, Marie and Goubeau (2015, section 2.1) and their published script. The report, which
`detourage.papers.html_killer` follows, states only the purpose of the script. The steps, in this
order, have these consequences:

- If ``body`` has an attribute, the head is not cut off. Line ends are removed without replacement,
  so the words on either side are joined.
- The page is the code between the first and the second ``h1``.
- An image extends to the next self-closing tag; in HTML without ``/>`` that may be far away.
- Any element whose name begins with ``a`` is unwrapped up to the next ``</a>``; any element whose
  name begins with ``li``, including ``link``, is removed up to the next ``</li>``.
- Any other tag, including ``em``, ``strong`` and ``table``, is removed with its text up to the next
  closing tag. Tags whose names begin with ``b`` are kept because they may be line breaks.
- A character reference becomes a space, and so does everything from a bare ``&`` to the next ``;``.
- Paragraphs that contain ``|`` or ``ags: `` (menus, "Tags: ") are removed, and so is any text of 3
  to 12 bytes between ``<`` and ``>``, which includes paragraphs of up to seven letters.
"""

import re

from detourage.papers.conversion import text_of
from detourage.papers.html_killer import to_result
from detourage.papers.interface import Extracted, Neighbours, Source

_BREAK = b"</br>"

_SUBSTITUTIONS: tuple[tuple[bytes, bytes], ...] = (
    (rb"<br[^>]*>", _BREAK),
    *((rb"<%s[^>]*>.*?</%s[^>]*>" % (name, name), b"") for name in (b"script", b"form")),
    (rb"<!--.*?-->", b""),
    (rb"<img .*?/>", b""),
    (rb"</?(?:div|span)[^>]*>", b""),
    (rb"<a[^>]*>(.*?)</a>", rb"\1"),  # unwraps links
    (rb"<li[^>]*>.*?</li>", b""),
    (rb"<h[02-9][^>]*>.*?</h.>", b""),  # all headings but h1
    (rb"<h1>(.*?)</h1>", rb"<h>\1</h>"),  # protects the headline from the following rules
    (rb"<p[^>]*>", b""),
    (rb"</p>", _BREAK),
    (rb"(?:%s)+" % _BREAK, _BREAK),
    (rb"<[^bph/].*?>.*?</[^ph].*?>", b""),  # other elements, with their text
    (rb"</?[^bph/].*?>", b""),  # other tags
    (rb"&.+?;", b" "),  # character references
    (rb"[\t\n \r]{2,}", b" "),
    (rb"</h> ", b"</h>\n<p>"),
)
_RULES = tuple((re.compile(pattern), replacement) for pattern, replacement in _SUBSTITUTIONS)

_HEADLINE_TAG = re.compile(rb"<h1[^>]*>")
_SHORT_TAG = re.compile(rb"<.{3,12}>")
_TAG = re.compile(rb"<.*?>")
_MENU_MARKS = (b"|", b"ags: ")


def extract(source: Source, _neighbours: Neighbours, *, markup: bool) -> Extracted:
    """Apply the script to the code of a page, decoded as for all methods (it assumes UTF-8)."""
    return to_result(*kill(text_of(source).encode("utf-8", "replace")), markup=markup)


def kill(code: bytes) -> tuple[str | None, list[str]]:
    """Return the headline and the paragraphs that the script leaves of a page's code."""
    code = code.split(b"<body>")[-1].split(b"</body>")[0].replace(b"\n", b"")
    code = _HEADLINE_TAG.sub(b"<h1>", code)
    before, headline_tag, after = code.partition(b"<h1>")
    code = headline_tag + after.split(b"<h1>")[0] if headline_tag else before
    for pattern, replacement in _RULES:
        code = pattern.sub(replacement, code)
    kept = [
        b"<p>" + paragraph + b"</p>\n"
        for paragraph in code.split(_BREAK)
        if paragraph.strip(b" ") and not any(mark in paragraph for mark in _MENU_MARKS)
    ]
    headline, closing, text = _SHORT_TAG.sub(b"", b"".join(kept)).partition(b"</h>")
    if not closing:
        headline, text = b"", headline
    lines = [_TAG.sub(b"", line).decode("utf-8", "replace") for line in text.splitlines()]
    paragraphs = [line for line in lines if line.strip()]
    return _TAG.sub(b"", headline).decode("utf-8", "replace") or None, paragraphs
