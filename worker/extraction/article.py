"""The article of a page, with another page of its template or without one."""

from worker.extraction import difference, media, menus, sentences, titles
from worker.extraction.errors import MenuPageError, NoTextError
from worker.extraction.finding import Finding
from worker.extraction.languages import declared_language
from worker.extraction.outline import Outline
from worker.extraction.rendering import render
from worker.extraction.result import Extraction
from worker.pages import Page

CONFIDENCE = {difference.METHOD: 0.85, sentences.METHOD: 0.7}
"""Confidence by method."""


def extract_article(page: Page, pivot: Page | None) -> Extraction:
    """Cut the article out of a page.

    Parameters
    ----------
    page
        The page. It is read only.
    pivot
        Another page of its template group: the group's representative, or for the
        representative itself its nearest neighbour. None where the page has none.

    Raises
    ------
    MenuPageError
        The page is a list of links to other pages.
    NoTextError
        The page has no text.
    """
    outline = Outline.of(page.document)
    if menus.is_menu(outline):
        raise MenuPageError("the page is a list of links to other pages")
    other = Outline.of(pivot.document) if pivot is not None else None
    finding = _find(outline, other)
    container = outline.elements[finding.container]
    template = titles.headings_of(other) if other is not None else frozenset()
    title, heading = titles.headline(outline, finding.container, template)
    dropped = {outline.elements[index] for index in finding.dropped}
    if heading is not None:
        dropped.add(heading)
    rendering = render(
        container,
        media.base_of(page.document, page.url),
        dropped=dropped,
        muted={outline.elements[index] for index in finding.muted},
    )
    text, blocks = rendering.to_blocks()
    if not text:
        raise NoTextError("the page shows no text")
    return Extraction(
        title=title,
        text=text,
        blocks=blocks,
        images=tuple(rendering.images),
        embeds=tuple(rendering.embeds),
        language=declared_language(page.document),
        method=finding.method,
        xpath=page.document.getroottree().getpath(container),
        confidence=CONFIDENCE[finding.method],
    )


def _find(page: Outline, pivot: Outline | None) -> Finding:
    finding = difference.find_body(page, pivot) if pivot is not None else None
    finding = finding or sentences.find_body(page)
    if finding is None:
        raise NoTextError("the page shows no text")
    return finding
