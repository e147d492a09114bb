"""Extraction of a page's article, with or without knowledge of its template."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import exp
from typing import NamedTuple

import numpy as np

from detourage.article import Article, ArticleEmbed, ArticleImage, ArticleMetadata
from detourage.html import Page
from detourage.html.flat import FlatDocument
from detourage.html.urls import base_of
from detourage.metadata import read_metadata
from detourage.reader import hidden_articles, menus, sentences, titles
from detourage.reader.blocks import blocks_of
from detourage.reader.body import find_body, judge_page
from detourage.reader.comment_exclusion import exclude
from detourage.reader.declared_types import declared_types
from detourage.reader.errors import MenuPageError, NeedsRenderingError, NoTextError
from detourage.reader.found_body import FoundBody, kept_texts
from detourage.reader.further_articles import further_articles, without_further_articles
from detourage.reader.hidden_articles import Read
from detourage.reader.illustrations import leading_images
from detourage.reader.knowledge import UNKNOWN_TEMPLATE, TemplateKnowledge, knowledge_of
from detourage.reader.languages import language_of
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage
from detourage.reader.threads import FindPosts, find_thread
from detourage.reader.titles import Titles
from detourage.roles import TEXT_ROLES, Favor, LineRole
from detourage.text.texts import Count, count_words


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
MAX_LISTING_FACTOR = 0.5  # multiplies the confidence in an article whose page looks like a menu


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
    representative, its nearest neighbour. If it is None, the page is read on its own. `comments`
    are outline indices of elements left out of the article unless one of them is the article
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
    return with_predictions(page_in_template, article, body)


GOOD_F1 = 0.8  # Minimum word F1 at which an article counts as correct
SURE = 0.9  # confidence in a displayed article of a page that scripts may fill
HIDDEN_CONFIDENCE = 0.63  # Confidence in an article that the page does not display

F1_WEIGHT, SURENESS_WEIGHT, BASE_LOG_ODDS = 4.0, 6.4, -7.2
"""Coefficients and intercept of the logistic regression in `confidence_of`, which was fitted to
pages of sites that no published score includes."""


def confidence_of(page: Outline, judged: JudgedPage, body: FoundBody | None) -> float:
    """Return the probability that F1 reaches `GOOD_F1`; `body` is None for a hidden article."""
    if body is None:
        return HIDDEN_CONFIDENCE
    is_kept = np.zeros(int(page.text_lines.max(initial=0)) + 1, dtype=np.bool_)
    is_kept[page.text_lines[kept_texts(page, body)]] = True
    kept = judged.columns.words * is_kept[judged.columns.numbers]
    expected = judged.columns.words * judged.probabilities
    expected_f1 = 2 * (kept * judged.probabilities).sum() / max(1.0, kept.sum() + expected.sum())
    sureness = kept * judged.role_probabilities.max(axis=1, initial=0.0)
    mean_sureness = sureness.sum() / max(1.0, kept.sum())
    log_odds = F1_WEIGHT * expected_f1 + SURENESS_WEIGHT * mean_sureness + BASE_LOG_ODDS
    return 1 / (1 + exp(-log_odds))


def with_predictions(page: PageInTemplate, article: Article, body: FoundBody | None) -> Article:
    """Add the confidence, corrections, title and kind that the model's predictions determine."""
    kind = body.kind if body is not None and body.kind else article.metadata.kind
    confidence = confidence_of(page.outline, page.judged, body)
    if body is not None and body.menu_probability is not None:
        confidence *= min(MAX_LISTING_FACTOR, 1.0 - body.menu_probability)
    return replace(
        article,
        title=_title_of(page, article, body),
        confidence=round(confidence, 3),
        corrections=_corrections(page),
        metadata=replace(article.metadata, kind=kind),
    )


MIN_TITLE = 0.2  # probability of being the headline, for a line used as title
MAX_LINES_TO_TITLE = 12  # lines above the body among which such a line is searched for


def _title_of(page: PageInTemplate, article: Article, body: FoundBody | None) -> str | None:
    """Return the article's title or, if that is only the site's name, the likeliest headline."""
    title, judged = article.title, page.judged
    is_site_name = title is not None and titles.names_site(page.outline, title, page.url)
    if article.heading is not None or not is_site_name or body is None or not body.lines:
        return title
    headline = judged.probability_of(("title",))
    first = next((place for place, line in enumerate(judged.lines) if line.number in body.lines), 0)
    above = range(max(0, first - MAX_LINES_TO_TITLE), first)
    best = max(above, key=headline.__getitem__, default=None)
    return judged.lines[best].text if best is not None and headline[best] > MIN_TITLE else title


MAX_CORRECTIONS = 5  # correction notes in an article
MAX_CORRECTION_CHARACTERS = 1_000  # length to which a correction note is cut


def _corrections(page: PageInTemplate) -> tuple[str, ...]:
    """Return the correction notes that the site added to the article, without duplicates."""
    judged = page.judged
    role = judged.roles.index("correction")
    places = np.flatnonzero(judged.role_probabilities.argmax(axis=1) == role).tolist()
    notes = (judged.lines[place].text for place in places)
    distinct = dict.fromkeys(note[:MAX_CORRECTION_CHARACTERS] for note in notes)
    return tuple(distinct)[:MAX_CORRECTIONS]


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
    """Extract the displayed article, even of a menu; return None if no text is displayed."""
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
    # Of 55 pages of the corpus wcxb that declare themselves news articles, 54 are.
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
    article = article_of(page.url, outline, template.titles, body, template.by_digest, headline)
    return article, body


def _find_thread(page: PageInTemplate) -> FoundBody | None:
    """Find the thread of a page whose likeliest kind is a forum page."""
    posts = page.posts() if page.posts is not None else None
    body = next(_candidate_bodies(page), None)
    if posts is None or body is None:
        return None
    outline, judged = page.outline, page.judged
    _, heading = titles.headline(outline, body.container, page.url, page.template.titles)
    return find_thread(outline, judged, body, posts, heading, page.text_roles)


def _candidate_bodies(page: PageInTemplate) -> Iterator[FoundBody]:
    """Yield candidate bodies, best first."""
    roles = page.text_roles or TEXT_ROLES
    from_lines = find_body(page.outline, page.judged, roles, page.favor, page.url)
    if from_lines is not None:
        yield from_lines
    from_sentences = sentences.find_body(page.outline)
    if from_sentences is not None:
        has_likely_line = page.judged.probabilities.max(initial=0.0) >= MIN_LIKELY_LINE
        sentence_counts = page.outline.count_in_texts(Count.SENTENCES)
        if has_likely_line or sentence_counts[kept_texts(page.outline, from_sentences)].any():
            yield from_sentences


MAX_LEAD_BLOCKS = 5  # blocks at the start of a text among which its lead is searched for
MIN_LEAD_WORDS = 5  # words in a lead; a shorter text is a section name


def article_of(
    url: str,
    outline: Outline,
    other_titles: Sequence[Titles],
    body: FoundBody,
    template_lines: Collection[int] = frozenset(),
    headline: tuple[str | None, int | None] | None = None,
) -> Article:
    """Build the article from a body; `other_titles` and `template_lines` describe its template."""
    title, heading = headline or titles.headline(outline, body.container, url, other_titles)
    if heading is not None:
        body = replace(body, dropped=body.dropped | {heading})
    base = base_of(outline.root, url)
    blocks, media = blocks_of(outline, body, base, title)
    text = "\n\n".join(block.text for block in blocks)
    images = [medium for medium in media if isinstance(medium, ArticleImage)]
    leading = {
        image.url: replace(image, block=0)
        for image in leading_images(outline, body, heading, base)
        if all(image.url != other.url for other in images)
    }
    lead = "\n".join(block.text for block in blocks[:MAX_LEAD_BLOCKS] if block.role == "lead")
    language = language_of(outline, text)
    metadata = read_metadata(
        outline,
        body,
        heading,
        url=url,
        title=title,
        language=language,
        template_lines=template_lines,
        text=text,
    )
    return Article(
        title=title,
        text=text,
        blocks=tuple(blocks),
        images=(*leading.values(), *images),
        embeds=tuple(medium for medium in media if isinstance(medium, ArticleEmbed)),
        language=language,
        method=body.method,
        xpath=outline.node(body.container).path(),
        confidence=round(body.confidence, 3),
        metadata=replace(metadata, lead=lead if count_words(lead) >= MIN_LEAD_WORDS else None),
        container=outline.node(body.container).index,
        heading=None if heading is None else outline.node(heading).index,
    )


def declared_by(page: Page) -> tuple[str | None, ArticleMetadata]:
    """Return the title and the metadata that a page declares, whether or not it has an article."""
    outline = Outline.of(page.flat)
    title, heading = titles.headline(outline, 0, page.url)
    body, language = FoundBody("", 0, lines=frozenset()), language_of(outline, "")
    metadata = read_metadata(outline, body, heading, url=page.url, title=title, language=language)
    return title, metadata
