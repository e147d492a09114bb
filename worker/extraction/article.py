"""The article of a page, with another page of its template or without one."""

from collections.abc import Iterator
from dataclasses import replace

from worker.extraction import difference, media, menus, sentences, titles, words
from worker.extraction.errors import MenuPageError, NoTextError
from worker.extraction.finding import Finding
from worker.extraction.languages import declared_language
from worker.extraction.outline import Outline
from worker.extraction.rendering import render, without_title
from worker.extraction.result import Extraction
from worker.pages import Page

EXACTITUDE = {difference.METHOD: 0.83, sentences.METHOD: 0.91}
"""Share of the pages that each method got right (word-count cosine of at least 0.9 with the gold
text) where it was used, on DAnIEL, MSV and Dragnet; nothing is claimed of any other method."""


def extract_article(page: Page, pivot: Page | None) -> Extraction:
    """Cut the article out of a page.

    With another page of the template, the body is the text that differs (paper 000, section
    4.4.2, see `worker.extraction.difference`); where that finds nothing, and where there is no
    other page, it is the densest packet of sentences (paper 003, see
    `worker.extraction.sentences`). `Extraction.method` says which of the two it was.

    Its confidence is the share of development pages that the method got right, times the share
    of the body's words that stand in no link.

    Parameters
    ----------
    page
        The page. It is read only.
    pivot
        Another page of its template group: the group's representative or, for the representative
        itself, its nearest neighbour. None where there is none.

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
    for finding in _findings(outline, other):
        article = article_of(page.url, outline, other, finding)
        if article.text:
            return article
    raise NoTextError("the page shows no text")


def _findings(page: Outline, other: Outline | None) -> Iterator[Finding]:
    if other is not None:
        yield from filter(None, [difference.find_body(page, other)])
    yield from filter(None, [sentences.find_body(page)])


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
        confidence=_confidence(outline, finding),
    )


def _confidence(page: Outline, finding: Finding) -> float:
    body = page.without(finding.dropped | finding.muted)
    links = page.links()
    end = page.ends[finding.container]
    total = linked = 0
    for parent, _, text in body.texts:
        if finding.container <= parent < end:
            count = len(words.tokens(text))
            total += count
            linked += count if links[parent] >= 0 else 0
    exactitude = EXACTITUDE.get(finding.method, 0.0)
    return round(exactitude * (1 - linked / total), 3) if total else 0.0
