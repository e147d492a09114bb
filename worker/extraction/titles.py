"""The headline of an article."""

import re

from lxml.html import HtmlElement

from worker.extraction import words
from worker.extraction.outline import Outline
from worker.extraction.rendering import shown_text

_SEPARATOR = re.compile(r"\s+[-–—|:·•»«>/]+\s+|\s*[|»«]\s*|\s*::\s*|_(?=\S)")


def headline(
    page: Outline, container: int, template: frozenset[str]
) -> tuple[str | None, HtmlElement | None]:
    """Find the headline of the article whose body is known.

    In this order:

    1. the ``h1`` nearest the body, those within it first, then those before it, nearest
       first. One whose text stands on another page of the template too is the site's name;
    2. the ``og:title`` property;
    3. the ``title`` element, cut at its separators: the part that a heading of the page
       repeats, else the part that is the longest.

    Parameters
    ----------
    page
        The page.
    container
        Index of the body's container.
    template
        Texts of the headings of another page of the template group.

    Returns
    -------
    title : str or None
        The headline on one line.
    element : HtmlElement or None
        The heading that shows it, where one does.
    """
    headings = [
        index for index, element in enumerate(page.elements) if element.tag in ("h1", "h2", "h3")
    ]
    end = page.ends[container]
    inside = [index for index in headings if container <= index < end]
    before = [index for index in reversed(headings) if index < container]
    metas = _metas(page.elements[0])
    shown = {index: shown_text(page.elements[index]) for index in (*inside, *before)}
    for index in (*inside, *before):
        element = page.elements[index]
        if element.tag == "h1" and shown[index] and shown[index] not in template:
            return shown[index], element
    declared = metas.get("og:title", "")
    if not declared:
        declared = _cut(_title_of(page.elements[0]), set(shown.values()))
    if not declared:
        return None, None
    same = words.tokens(declared)
    for index in (*inside, *before):
        if words.tokens(shown[index]) == same:
            return declared, page.elements[index]
    return declared, None


def headings_of(page: Outline) -> frozenset[str]:
    """Return the texts of the first-level headings of a page."""
    return frozenset(shown_text(element) for element in page.elements if element.tag == "h1")


def _metas(document: HtmlElement) -> dict[str, str]:
    metas: dict[str, str] = {}
    for meta in document.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").strip().lower()
        metas.setdefault(name, words.clean(meta.get("content") or ""))
    return metas


def _title_of(document: HtmlElement) -> str:
    title = next(document.iter("title"), None)
    return words.clean(title.text_content()) if title is not None else ""


def _cut(title: str, headings: set[str]) -> str:
    """Return the part of a ``title`` that a heading repeats, else its longest part."""
    if title in headings:
        return title
    parts = [part for part in _SEPARATOR.split(title) if part]
    repeated = [part for part in parts if part in headings]
    return max(repeated or parts or [""], key=len)
