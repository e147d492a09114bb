"""The article of a page, with other pages of its template or without any."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from lxml.html import HtmlElement

from worker.extraction import classification, difference, hidden, menus, sentences, titles
from worker.extraction.apart import leave_out
from worker.extraction.classification import JudgedLines, judge_lines
from worker.extraction.errors import MenuPageError, NeedsRenderingError, NoTextError
from worker.extraction.finding import Finding
from worker.extraction.knowledge import TemplateKnowledge
from worker.extraction.languages import language_of
from worker.extraction.media import EMBEDS
from worker.extraction.metadata import read_metadata
from worker.extraction.outline import Outline
from worker.extraction.rendering import render, without_title
from worker.extraction.result import Extraction
from worker.extraction.titles import Titles
from worker.pages import Page
from worker.pages.addresses import base_of


@dataclass(frozen=True)
class KnownTemplate:
    """What a page is compared with.

    Attributes
    ----------
    knowledge
        What other pages of its template tell, None where there is none.
    pivot
        One of them itself, where it is at hand.
    """

    knowledge: TemplateKnowledge | None = None
    pivot: Outline | None = None

    @classmethod
    def of(cls, other: Page | TemplateKnowledge | None) -> Self:
        """Learn from another page, unless what is known is given."""
        if not isinstance(other, Page):
            return cls(other)
        pivot = Outline.of(other.document)
        return cls(TemplateKnowledge.of([pivot]), pivot)

    @property
    def titles(self) -> Sequence[Titles]:
        """What its pages are called."""
        return self.knowledge.titles if self.knowledge is not None else ()

    @property
    def line_digests(self) -> Collection[int]:
        """Digests of the lines that its pages show."""
        return self.knowledge.by_digest if self.knowledge is not None else ()


@dataclass(frozen=True)
class PageInTemplate:
    """A page, flattened, beside what is known of its template.

    Attributes
    ----------
    url, outline
        Its address and outline.
    template
        What it is compared with.
    """

    url: str
    outline: Outline
    template: KnownTemplate

    @cached_property
    def judged(self) -> JudgedLines:
        """Its lines, whose evidence is gathered when they are first asked for."""
        return judge_lines(self.outline, self.template.knowledge, self.url)


FindBody = Callable[[PageInTemplate], Finding | None]

METHODS: Mapping[str, tuple[FindBody, ...]] = {
    classification.METHOD: (
        lambda page: classification.find_body(page.outline, page.judged),
        lambda page: sentences.find_body(page.outline),
    ),
    difference.METHOD: (
        lambda page: (
            difference.find_body(page.outline, page.template.pivot) if page.template.pivot else None
        ),
        lambda page: sentences.find_body(page.outline),
    ),
    sentences.METHOD: (lambda page: sentences.find_body(page.outline),),
}
"""Ways to find the body by name: each is tried where those before it find no text."""

DEFAULT_METHOD = classification.METHOD

_VIDEOS = EMBEDS - {"audio"}


def extract_article(
    page: Page,
    other: Page | TemplateKnowledge | None,
    method: str = DEFAULT_METHOD,
    apart: Iterable[HtmlElement] = (),
) -> Extraction:
    """Cut the article out of a page.

    ``lines`` makes the body of the lines that a classifier takes for the article's, by what is
    known of them on the page and on other pages of the template
    (`worker.extraction.classification`). ``paper000`` takes the text that differs from the
    other page, which it needs itself (section 4.4.2, `worker.extraction.difference`), ``wutsi``
    the densest packet of sentences (paper 003, `worker.extraction.sentences`). Where one of the
    first two finds nothing, the last one is asked; `Extraction.method` says which it was. An
    article that the page holds and does not show is taken where it shows none, or a fragment
    (`worker.extraction.hidden`).

    Parameters
    ----------
    page
        The page. It is read only.
    other
        Another page of its template group: the group's representative or, for the representative
        itself, its nearest neighbour. Or what is known of it, which tells the same to every
        method but ``paper000``. None where there is none.
    method
        One of `METHODS`.
    apart
        Elements of the page that are no part of its article: what its readers wrote. Where the
        article is one of them, as the first post of a thread is, they are not left out
        (`worker.extraction.apart`).

    Raises
    ------
    MenuPageError
        If the page is a list of links to other pages.
    NeedsRenderingError
        If the page shows nothing until a browser has run its programs.
    NoTextError
        If the page shows no text, or none but a headline.
    """
    outline = Outline.of(page.document)
    flat = PageInTemplate(page.url, outline, KnownTemplate.of(other))
    article, _ = find_article(flat, method, outline.indices_of(apart))
    return article


def find_article(
    page: PageInTemplate,
    method: str = DEFAULT_METHOD,
    apart: Collection[int] = frozenset(),
) -> tuple[Extraction, Finding | None]:
    """Cut the article out of a page that was flattened, and say where it was found.

    Parameters
    ----------
    page
        The page.
    method
        As for `extract_article`, which raises the same.
    apart
        Indices of the elements that are no part of the article.

    Returns
    -------
    article : Extraction
        The article.
    finding : Finding or None
        Its place; None where the page does not show it.
    """
    shown = _find_shown(page, method, apart)
    article = hidden.hidden_article(
        page.url,
        page.outline,
        shown[0] if shown is not None else None,
        cut=lambda made, finding: article_of(page.url, made, page.template.titles, finding),
        find=lambda opened: _shown_article(replace(page, outline=opened), method),
    )
    if article is not None:
        # What stands around the text that is shown says more than the head of the page alone.
        known = article.metadata if shown is None else shown[0].metadata
        return replace(article, metadata=known), None
    if hidden.needs_rendering(page.outline):
        raise NeedsRenderingError("the page is empty until a browser runs its programs")
    if shown is None:
        raise NoTextError("the page shows no text")
    return shown


def _shown_article(page: PageInTemplate, method: str) -> Extraction:
    shown = _find_shown(page, method)
    if shown is None:
        raise NoTextError("the page shows no text")
    return shown[0]


def _find_shown(
    page: PageInTemplate, method: str, apart: Collection[int] = ()
) -> tuple[Extraction, Finding] | None:
    outline, template = page.outline, page.template
    if menus.is_menu(outline):
        raise MenuPageError("the page is a list of links to other pages")
    for find_body in METHODS[method]:
        finding = find_body(page)
        if finding is not None:
            finding = leave_out(outline, finding, apart) if apart else finding
            article = article_of(page.url, outline, template.titles, finding, template.line_digests)
            if article.text:
                return article, finding
    return None


def article_of(
    url: str,
    outline: Outline,
    others: Sequence[Titles],
    finding: Finding,
    known: Collection[int] = frozenset(),
) -> Extraction:
    """Return the article of a body that a method found.

    Parameters
    ----------
    url, outline
        Address and outline of the page.
    others
        Titles of other pages of the template, which tell its headings from the page's own.
    finding
        The body.
    known
        Digests of the lines that other pages of the template show, see `digest_of`.
    """
    title, heading = titles.headline(outline, finding.container, url, others)
    if heading is not None:
        finding = replace(finding, dropped=finding.dropped | {heading})
    document = outline.elements[0]
    rendering = render(outline, finding, base_of(document, url))
    rendering.stretches = list(without_title(rendering.stretches, title))
    text, blocks = rendering.to_blocks()
    language = language_of(outline, text)
    return Extraction(
        title=title,
        text=text,
        blocks=blocks,
        images=tuple(rendering.images),
        embeds=tuple(rendering.embeds),
        language=language,
        method=finding.method,
        xpath=document.getroottree().getpath(outline.elements[finding.container]),
        confidence=round(finding.confidence, 3),
        metadata=read_metadata(
            outline,
            finding,
            heading,
            url=url,
            title=title,
            language=language,
            known=known,
            text=text,
            images=len(rendering.images),
            videos=sum(embed.type in _VIDEOS for embed in rendering.embeds),
        ),
    )
