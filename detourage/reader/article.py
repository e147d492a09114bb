"""Extraction of a page's article, with or without knowledge of its template."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from detourage.article import Article
from detourage.html import Page
from detourage.html.flat import FlatDocument
from detourage.reader import hidden_articles, menus, titles
from detourage.reader.article_from_body import article_of
from detourage.reader.body import find_body, judge_page
from detourage.reader.comment_exclusion import exclude
from detourage.reader.declared_types import declared_types
from detourage.reader.found_body import FoundBody, kept_texts
from detourage.reader.further_articles import further_articles, without_further_articles
from detourage.reader.hidden_articles import Read
from detourage.reader.knowledge import UNKNOWN_TEMPLATE, TemplateKnowledge, knowledge_of
from detourage.reader.no_article_errors import MenuPageError, NeedsRenderingError, NoTextError
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage
from detourage.reader.predictions import confidence_of, with_predictions
from detourage.roles import TEXT_ROLES, Favor, LineRole
from detourage.text.token_counts import Count, count_words

if TYPE_CHECKING:
    from detourage.comments import CommentParts

FindPosts = Callable[[], "CommentParts | None"]
"""Function that finds the posts of a forum page, or returns None if there are none."""


class PageInTemplate(NamedTuple):
    """A page with its template and the options of `extract_article`."""

    url: str
    outline: Outline
    template: TemplateKnowledge = UNKNOWN_TEMPLATE
    text_roles: Sequence[LineRole] = ()
    posts: FindPosts | None = None
    favor: Favor | None = None
    read_opened: Read | None = None

    @property
    def judged(self) -> JudgedPage:
        """The roles of the page's lines and the kind of the page, computed on first access."""
        template, url, judged = self.outline.memo.get(JudgedPage, (None, None, None))
        if template is not self.template or url != self.url:
            judged = judge_page(self.outline, self.template, self.url)
            self.outline.memo[JudgedPage] = self.template, self.url, judged
        current: JudgedPage = judged
        return current


def judged_page(page: Page, template: TemplateKnowledge) -> JudgedPage:
    """Return the roles of a page's lines and the kind of the page, computed once per page."""
    return PageInTemplate(page.url, Outline.of(page.flat), template).judged


def discard_cached_judgement(page: Page) -> None:
    """Free the memory held by the result of `judged_page`, about 1.6 kB per line."""
    Outline.of(page.flat).memo.pop(JudgedPage, None)


MIN_LIKELY_LINE = 0.15  # probability that the likeliest line is text, if the body has no sentence
SURE = 0.9  # confidence at which a displayed article counts as complete even on a page of scripts


def extract_article(
    page: Page,
    template: Page | TemplateKnowledge | None,
    comments: Collection[int] = (),
    text_roles: Sequence[LineRole] = (),
    posts: FindPosts | None = None,
    favor: Favor | None = None,
    read_opened: Read | None = None,
) -> Article:
    """Extract the article of a page without modifying the page.

    The body consists of the lines with one of the `text_roles` (`TEXT_ROLES` if empty) or, on a
    forum page, of the whole thread. If no line qualifies, the body is the element with the most
    sentences. If the page displays no article or only a fragment, an article hidden in its scripts
    or markup is used instead.

    `template` is the template page to compare with, or its `TemplateKnowledge`, which gives the
    same result. Choose the template group's representative or, if the page is itself the
    representative, the page nearest to it. Without a `template`, the page is read on its own.
    `comments` are outline indices of elements to leave out, unless one of them is the article
    itself. `posts` finds the posts of a forum page; None disables the search. `favor` is as for
    `choose_lines`. `read_opened` reads a copy of the page in which hidden elements are displayed.

    Raise `MenuPageError` if the page only lists links to other pages, `NeedsRenderingError` if it
    is empty until a browser runs its scripts, and `NoTextError` if it displays no text, or only a
    headline.
    """
    outline = Outline.of(page.flat)
    page_in_template = PageInTemplate(
        page.url, outline, knowledge_of(template), text_roles, posts, favor, read_opened
    )
    article, body = find_article(page_in_template, comments)
    return with_predictions(article, outline, page_in_template.judged, body, page.url)


def find_article(
    page: PageInTemplate, comments: Collection[int] = frozenset()
) -> tuple[Article, FoundBody | None]:
    """Find an article and its body; the body is None if the page does not display the article."""

    def read_opened(opened: FlatDocument) -> Article:
        """Read a copy of the page in which hidden elements are displayed."""
        displayed = _displayed_article(page._replace(outline=Outline.of(opened), posts=None))
        if displayed is None:
            raise NoTextError("the page shows no text")
        return displayed[0]

    displayed = _displayed_article(page, comments)
    hidden_article = hidden_articles.hidden_article(
        page.url,
        page.outline,
        displayed[0] if displayed is not None else None,
        extract=lambda outline, body: article_of(page.url, outline, page.template.titles, body),
        read=page.read_opened or read_opened,
    )
    if hidden_article is not None:
        # Metadata around the displayed text is more complete than that in the head alone.
        metadata = hidden_article.metadata if displayed is None else displayed[0].metadata
        return replace(hidden_article, metadata=metadata), None
    if hidden_articles.needs_rendering(page.outline) and not (
        displayed and confidence_of(page.outline, page.judged, displayed[1]) >= SURE
    ):
        raise NeedsRenderingError("the page is empty until a browser runs its scripts")
    if displayed is None:
        raise NoTextError("the page shows no text")
    return displayed


def _displayed_article(
    page: PageInTemplate, comments: Collection[int] = ()
) -> tuple[Article, FoundBody] | None:
    """Extract the displayed article, or return None; raise `MenuPageError` for a menu."""
    displayed = _article_of_any_page(page, comments)
    headlines = menus.Headlines.of(page.outline)
    if headlines is None:
        return displayed
    if displayed is None:
        raise MenuPageError
    article, body = displayed
    has_posts = page.posts is not None and page.posts() is not None
    words, kinds = count_words(article.text), page.judged.kinds
    probability = headlines.menu_probability(page.outline, page.url, kinds, words, has_posts)
    if probability >= menus.MIN_PROBABILITY:
        raise MenuPageError(probability)
    kind = "listing" if body.kind == "article" else body.kind
    return article, replace(body, menu_probability=probability, kind=kind)


def _article_of_any_page(
    page: PageInTemplate, comments: Collection[int]
) -> tuple[Article, FoundBody] | None:
    """Extract the displayed article, even if the page is a menu; None if it displays no text."""
    thread = _find_thread(page) if page.judged.kind == "forum" else None
    if thread is not None:
        # In a thread, the readers' posts are the text.
        article, body = _extract(page, thread, (), is_thread=True)
        # A page that declares another kind, such as a live report, is not a thread.
        if article.text and article.metadata.kind == "article":
            return article, replace(body, kind="forum")
    candidates = (_extract(page, body, comments) for body in _candidate_bodies(page))
    first = next(((article, body) for article, body in candidates if article.text), None)
    if first is None:
        return None
    article, body = first
    kind = article.metadata.kind
    # The type NewsArticle is reliable: it is correct on 54 of 55 pages of the wcxb corpus.
    if kind == "article" and "newsarticle" not in declared_types(page.outline):
        kind = page.judged.kind
    return article, replace(body, kind=kind)


def _extract(
    page: PageInTemplate, body: FoundBody, comments: Collection[int], *, is_thread: bool = False
) -> tuple[Article, FoundBody]:
    """Extract an article from a body without its comments and further articles."""
    outline, template = page.outline, page.template
    body = exclude(outline, body, comments) if comments else body
    headline = titles.headline(outline, body.container, page.url, template.titles)
    further = () if is_thread else further_articles(outline, body, headline[1], page.url)
    body = without_further_articles(outline, body, further)
    article = article_of(page.url, outline, template.titles, body, template.digests, headline)
    return article, body


def _find_thread(page: PageInTemplate) -> FoundBody | None:
    """Find the thread of a page that is most likely a forum page."""
    posts = page.posts() if page.posts is not None else None
    body = next(_candidate_bodies(page), None)
    if posts is None or body is None:
        return None
    from detourage.reader.threads import find_thread

    outline, judged = page.outline, page.judged
    _, heading = titles.headline(outline, body.container, page.url, page.template.titles)
    return find_thread(outline, judged, body, posts, heading, page.text_roles)


def _candidate_bodies(page: PageInTemplate) -> Iterator[FoundBody]:
    """Yield candidate bodies, best first."""
    roles = page.text_roles or TEXT_ROLES
    from_lines = find_body(page.outline, page.judged, roles, page.favor, page.url)
    if from_lines is not None:
        yield from_lines
    from detourage.reader import body_by_sentences

    from_sentences = body_by_sentences.find_body(page.outline)
    if from_sentences is not None:
        has_likely_line = page.judged.probabilities.max(initial=0.0) >= MIN_LIKELY_LINE
        sentence_counts = page.outline.count_in_texts(Count.SENTENCES)
        if has_likely_line or sentence_counts[kept_texts(page.outline, from_sentences)].any():
            yield from_sentences
