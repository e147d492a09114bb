"""An HTML report that shows the explained page, with each line in the colour of its verdict.

This follows figure 2.1 of Deturck (2015). The page is shown with its styles, in a sandboxed frame
that cannot run scripts, submit forms or open windows. A content security policy allows only styles,
pictures and fonts to be loaded. In addition, active content is removed.
"""

from collections.abc import Container, Iterator, Sequence
from copy import deepcopy
from html import escape
from importlib.resources import files
from itertools import accumulate, compress

from lxml import etree
from lxml.html import HtmlElement

from detourage.explain.explanation_formats import summary
from detourage.html import Page
from detourage.html.urls import base_of
from detourage.html.visible_text import without_text
from detourage.reader import ExplainedLine, Explanation
from detourage.reader.explanation import Verdict
from detourage.reader.media import image_of
from detourage.reader.outline import Outline


def marked_document(explanation: Explanation, page: Page) -> HtmlElement:
    """Return a copy of a page's document with each text in a ``span`` that shows its verdict.

    The class of a span is derived from the verdict, such as ``detourage-kept``. The outermost
    elements with only kept lines, and the article's images, get the class ``detourage-article``;
    the outermost elements with only other lines get the class ``detourage-template``.
    """
    document, outline = deepcopy(page.document), Outline.of(page.flat)
    elements = [*document.iter()]
    skipped = {*compress(elements, without_text(page.flat).tolist())}
    positions = list(_text_positions(document, skipped))
    lines = {line.number: line for line in explanation.lines}
    # A text without words, such as a bullet or a bar between links, belongs to no line.
    line_of_text = [*map(lines.get, outline.text_lines.tolist())]
    shown = [elements[number] for number in outline.flat.numbers.tolist()]
    _frame_blocks(outline, shown, [line.verdict if line else None for line in line_of_text])
    images = explanation.article.images if explanation.article is not None else ()
    base, urls = base_of(document, page.url), {image.url for image in images}
    for element in document.iter("img") if urls else ():
        image = image_of(element, base, None)
        if image is not None and image.url in urls:
            _add_class(element, "detourage-article")
    for (element, attribute), line in zip(positions, line_of_text, strict=True):
        if line is not None:
            _mark(element, attribute, line)
    return document


def _text_positions(
    document: HtmlElement, skipped: Container[HtmlElement]
) -> Iterator[tuple[HtmlElement, str]]:
    """Yield the element and the attribute ("text" or "tail") of each text outside some elements."""
    walk = etree.iterwalk(document, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            if element in skipped:
                walk.skip_subtree()
            elif element.text and not element.text.isspace():
                yield element, "text"
        elif element is not document and element.tail and not element.tail.isspace():
            yield element, "tail"


def _mark(element: HtmlElement, attribute: str, line: ExplainedLine) -> None:
    span = element.makeelement("span")
    span.set("class", f"detourage-{line.verdict}")
    span.set("title", f"{line.verdict}: {line.role}, {line.probability:.2f}")
    span.text = getattr(element, attribute)
    setattr(element, attribute, None)
    if attribute == "text":
        element.insert(0, span)
    else:
        element.addnext(span)


def _frame_blocks(
    outline: Outline, elements: Sequence[HtmlElement], verdicts: Sequence[Verdict | None]
) -> None:
    """Mark the largest elements that are entirely inside or entirely outside the article."""
    article_counts = [0, *accumulate([verdict in ("kept", "title") for verdict in verdicts])]
    counts = [0, *accumulate(verdict is not None for verdict in verdicts)]
    index = 0
    while index < len(outline.tags):
        start, end = outline.text_starts[index], outline.text_ends[index]
        texts = counts[end] - counts[start]
        article_texts = article_counts[end] - article_counts[start]
        if texts and article_texts not in (0, texts):
            index += 1
            continue
        if texts:
            name = "detourage-article" if article_texts else "detourage-template"
            _add_class(elements[index], name)
        index = outline.ends[index]


def _add_class(element: HtmlElement, name: str) -> None:
    element.set("class", f"{element.get('class') or ''} {name}".strip())


_POLICY = (
    "default-src 'none'; style-src http: https: data: 'unsafe-inline'; img-src http: https: data:;"
    " font-src http: https: data:"
)

_ACTIVE_TAGS = (
    *("script", "noscript", "template", "iframe", "frame", "frameset", "object", "embed"),
    *("applet", "base", "meta", "portal", "fencedframe", "audio", "video", "dialog"),
)
"""Elements that run scripts, or load or hide content; browsers usually do not show their text."""

_URL_ATTRIBUTES = frozenset(
    {"href", "src", "action", "formaction", "srcset", "data", "background", "poster", "ping"}
)
_SAFE_SCHEMES = ("http:", "https:", "data:image/", "mailto:", "//")


def to_html(explanation: Explanation, page: Page, group_size: int, comments: int = 0) -> str:
    """Return an HTML report with the marked page, facts about it and a list of its lines."""
    document = marked_document(explanation, page)
    _disarm(document)
    _set_head(document, base_of(page.document, page.url))
    marked_html = etree.tostring(
        document, method="html", encoding="unicode", doctype="<!DOCTYPE html>"
    )
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
        f'<iframe sandbox="" title="The page" srcdoc="{escape(marked_html)}">'
        f"</iframe><main><dl>{facts}</dl>"
        '<p><b class="kept">kept</b> <b class="title">title</b> <b class="comment">comment</b>'
        f' <b class="dropped">dropped</b></p><ol>{lines}</ol></main></body></html>\n'
    )


def _disarm(document: HtmlElement) -> None:
    """Remove active content, in case the sandbox has no effect."""
    for element in list(document.iter(*_ACTIVE_TAGS)):
        if element.getparent() is not None:
            element.drop_tree()
    for link in list(document.iter("link")):
        if "stylesheet" not in (link.get("rel") or "").lower().split():
            link.drop_tree()
    for element in document.iter():
        for name, value in element.items():
            is_active = name.lower().startswith("on") or name.lower() in ("srcdoc", "http-equiv")
            if is_active or (name.lower() in _URL_ATTRIBUTES and not _is_safe(value)):
                del element.attrib[name]


def _is_safe(url: str) -> bool:
    # Browsers ignore white space within a scheme.
    compact = "".join(url.split()).lower()
    scheme, colon, _ = compact.partition(":")
    is_relative = not colon or any(mark in scheme for mark in "/?#")
    return is_relative or compact.startswith(_SAFE_SCHEMES)


def _set_head(document: HtmlElement, base: str) -> None:
    head = document.find("head")
    if head is None:
        head = document.makeelement("head")
        document.insert(0, head)
    policy = head.makeelement("meta", {"http-equiv": "Content-Security-Policy", "content": _POLICY})
    marks = head.makeelement("style")
    marks.text = files("detourage.explain").joinpath("marks.css").read_text("utf-8")
    head.insert(0, policy)
    head.insert(1, head.makeelement("base", {"href": base, "target": "_blank"}))
    head.append(marks)
