"""Explanation shown in the page itself, with kept text framed in green and boilerplate in blue.

The presentation follows figure 2.1 of Deturck (2015). The page is displayed in a sandboxed frame
that cannot run scripts, submit forms or open windows. A content security policy allows only styles,
pictures and fonts to be loaded. In addition, active content is removed beforehand.
"""

from html import escape
from importlib.resources import files

from lxml import etree
from lxml.html import HtmlElement

from detourage.explain.explained import summary
from detourage.explain.marked_page import marked_document
from detourage.html import Page
from detourage.html.addresses import base_of
from detourage.reader import Explanation

_POLICY = (
    "default-src 'none'; style-src http: https: data: 'unsafe-inline'; img-src http: https: data:;"
    " font-src http: https: data:"
)

_ACTING = (
    *("script", "noscript", "template", "iframe", "frame", "frameset", "object", "embed"),
    *("applet", "base", "meta", "portal", "fencedframe", "audio", "video", "dialog"),
)
"""Elements that run scripts, or load or hide content; browsers with scripting hide their text."""

_ADDRESSES = frozenset(
    {"href", "src", "action", "formaction", "srcset", "data", "background", "poster", "ping"}
)
_SAFE_SCHEMES = ("http:", "https:", "data:image/", "mailto:", "//")


def to_html(explanation: Explanation, page: Page, group_size: int, comments: int = 0) -> str:
    """Return a self-contained page that shows the explained page and the verdicts on its lines."""
    style = files("detourage.explain").joinpath("overlay.css").read_text("utf-8")
    facts = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(fact)}</dd>"
        for name, fact in summary(explanation, group_size, comments)
    )
    lines = "".join(
        f'<li class="{line.verdict}"><b>{line.probability:.2f}</b> {escape(line.text)}'
        f"<small>{line.role}, <code>{escape(line.xpath)}</code></small></li>"
        for line in explanation.lines
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>Explained: {escape(explanation.url)}</title><style>\n{style}</style></head><body>"
        f'<iframe sandbox="" title="The page" srcdoc="{escape(_framed(explanation, page))}">'
        f"</iframe><main><dl>{facts}</dl>"
        '<p><b class="kept">kept</b> <b class="title">title</b> <b class="comment">comment</b>'
        f' <b class="dropped">dropped</b></p><ol>{lines}</ol></main></body></html>\n'
    )


def _framed(explanation: Explanation, page: Page) -> str:
    document = marked_document(explanation, page)
    _disarm(document)
    _set_head(document, base_of(page.document, page.url))
    return etree.tostring(document, method="html", encoding="unicode", doctype="<!DOCTYPE html>")


def _disarm(document: HtmlElement) -> None:
    """Remove active content, in case the sandbox has no effect."""
    for element in list(document.iter(*_ACTING)):
        if element.getparent() is not None:
            element.drop_tree()
    for link in list(document.iter("link")):
        if "stylesheet" not in (link.get("rel") or "").lower().split():
            link.drop_tree()
    for element in document.iter():
        for name, value in element.items():
            acts = name.lower().startswith("on") or name.lower() in ("srcdoc", "http-equiv")
            if acts or (name.lower() in _ADDRESSES and not _is_safe(value)):
                del element.attrib[name]


def _is_safe(address: str) -> bool:
    squeezed = "".join(address.split()).lower()
    scheme, colon, _ = squeezed.partition(":")
    is_relative = not colon or any(mark in scheme for mark in "/?#")
    return is_relative or squeezed.startswith(_SAFE_SCHEMES)


def _set_head(document: HtmlElement, base: str) -> None:
    head = document.find("head")
    if head is None:
        head = document.makeelement("head")
        document.insert(0, head)
    policy = head.makeelement("meta", {"http-equiv": "Content-Security-Policy"})
    policy.set("content", _POLICY)
    address = head.makeelement("base", {"href": base, "target": "_blank"})
    marks = head.makeelement("style")
    marks.text = files("detourage.explain").joinpath("marks.css").read_text("utf-8")
    head.insert(0, policy)
    head.insert(1, address)
    head.append(marks)
