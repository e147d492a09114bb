"""The article of a page, with another page of its template or without one."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from worker.extraction import classification, difference, media, menus, sentences, titles
from worker.extraction.errors import MenuPageError, NoTextError
from worker.extraction.finding import Finding
from worker.extraction.languages import declared_language
from worker.extraction.outline import Outline
from worker.extraction.rendering import render, without_title
from worker.extraction.result import Extraction
from worker.pages import Page

FindBody = Callable[[Outline, Outline | None, str], Finding | None]
"""Called with the page, another page of its template, and the page's address."""

METHODS: Mapping[str, tuple[FindBody, ...]] = {
    classification.METHOD: (
        classification.find_body,
        lambda page, _other, _url: sentences.find_body(page),
    ),
    difference.METHOD: (
        lambda page, other, _url: difference.find_body(page, other) if other else None,
        lambda page, _other, _url: sentences.find_body(page),
    ),
    sentences.METHOD: (lambda page, _other, _url: sentences.find_body(page),),
}
"""Ways to find the body by name: each is tried where those before it find no text."""

DEFAULT_METHOD = classification.METHOD


def extract_article(page: Page, pivot: Page | None, method: str = DEFAULT_METHOD) -> Extraction:
    """Cut the article out of a page.

    ``lines`` makes the body of the lines that a classifier takes for the article's, by what is
    known of them on the page and on another page of the template
    (`worker.extraction.classification`). ``paper000`` takes the text that differs from the
    other page (section 4.4.2, `worker.extraction.difference`), ``wutsi`` the densest packet of
    sentences (paper 003, `worker.extraction.sentences`). Where one of the first two finds
    nothing, the last one is asked; `Extraction.method` says which it was.

    Parameters
    ----------
    page
        The page. It is read only.
    pivot
        Another page of its template group: the group's representative or, for the representative
        itself, its nearest neighbour. None where there is none.
    method
        One of `METHODS`.

    Raises
    ------
    MenuPageError
        If the page is a list of links to other pages.
    NoTextError
        If the page shows no text, or none but a headline.
    """
    outline = Outline.of(page.document)
    if menus.is_menu(outline):
        raise MenuPageError("the page is a list of links to other pages")
    other = Outline.of(pivot.document) if pivot is not None else None
    for find_body in METHODS[method]:
        finding = find_body(outline, other, page.url)
        if finding is not None:
            article = article_of(page.url, outline, other, finding)
            if article.text:
                return article
    raise NoTextError("the page shows no text")


def article_of(url: str, outline: Outline, other: Outline | None, finding: Finding) -> Extraction:
    """Return the article of a body that a method found.

    Parameters
    ----------
    url, outline
        Address and outline of the page.
    other
        Outline of another page of the template, which tells its headings from the page's own.
    finding
        The body.
    """
    title, heading = titles.headline(outline, finding.container, url, other)
    if heading is not None:
        finding = replace(finding, dropped=finding.dropped | {heading})
    document = outline.elements[0]
    rendering = render(outline, finding, media.base_of(document, url))
    rendering.stretches = list(without_title(rendering.stretches, title))
    text, blocks = rendering.to_blocks()
    return Extraction(
        title=title,
        text=text,
        blocks=blocks,
        images=tuple(rendering.images),
        embeds=tuple(rendering.embeds),
        language=declared_language(document),
        method=finding.method,
        xpath=document.getroottree().getpath(outline.elements[finding.container]),
        confidence=round(finding.confidence, 3),
    )
