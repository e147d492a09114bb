"""Extraction of a page's article, with or without knowledge of its template."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np
from lxml.html import HtmlElement

from detourage.article import Article, ArticleEmbed, ArticleImage
from detourage.html import Page
from detourage.html.addresses import base_of
from detourage.metadata import read_metadata
from detourage.reader import hidden, menus, sentences, titles
from detourage.reader.blocks import blocks_of
from detourage.reader.body import find_body, judge_page
from detourage.reader.comment_exclusion import exclude
from detourage.reader.declared_types import declared_types
from detourage.reader.errors import MenuPageError, NeedsRenderingError, NoTextError
from detourage.reader.finding import Finding, kept_texts
from detourage.reader.further_articles import further_articles, without_further_articles
from detourage.reader.hidden import Read
from detourage.reader.illustrations import leading_images
from detourage.reader.knowledge import UNKNOWN_TEMPLATE, TemplateKnowledge, knowledge_of
from detourage.reader.languages import language_of
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage
from detourage.reader.threads import FindPosts, find_thread
from detourage.reader.titles import Titles
from detourage.roles import TEXT_ROLES, Favor, LineRole
from detourage.text import words
from detourage.text.texts import Count, count_words


@dataclass(frozen=True)
class PageInTemplate:
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
        found: JudgedPage = judged
        return found


def judged_page(page: Page, template: TemplateKnowledge) -> JudgedPage:
    """Return the roles of a page's lines and the kind of the page, computed once per page."""
    return PageInTemplate(page.url, Outline.of(page.flat), template).judged


def forget_judged(page: Page) -> None:
    """Free the memory held by the result of `judged_page`, about 1.6 kB per line."""
    Outline.of(page.flat).memo.pop(JudgedPage, None)


MIN_LIKELY_LINE = 0.15  # probability of the most probable line in an article without sentences
MAX_LISTING_FACTOR = 0.5  # factor that reduces the confidence in a page that looks like a menu


def extract_article(
    page: Page,
    template: Page | TemplateKnowledge | None,
    comments: Iterable[HtmlElement] = (),
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
    are left out of the article unless one of them is the article itself. `posts` finds the posts of
    a forum page; None disables the search. `favor` is as for `choose_lines`. `read_opened` reads a
    copy of the page in which hidden elements are displayed.

    Raise `MenuPageError` if the page only lists links to other pages, `NeedsRenderingError` if it
    is empty until a browser runs its scripts, and `NoTextError` if it displays no text, or only a
    headline.
    """
    outline = Outline.of(page.flat)
    flat = PageInTemplate(
        page.url, outline, knowledge_of(template), text_roles, posts, favor, read_opened
    )
    return with_page_judged(flat, *find_article(flat, outline.indices_of(comments)))


GOOD_F1 = 0.8  # Minimum word F1 at which an article counts as correct
HIDDEN_CONFIDENCE = 0.63  # Confidence in an article that the page does not display

F1_WEIGHT, SURENESS_WEIGHT, BASE_LOG_ODDS = 4.0, 6.4, -7.2
"""Weights of the expected F1 and of the mean probability of the words' roles in the log odds, and
the constant added to them; fitted to pages of sites for which no figures are reported."""


def confidence_of(page: Outline, judged: JudgedPage, finding: Finding | None) -> float:
    """Return the probability that F1 reaches `GOOD_F1`; the finding of a hidden article is None."""
    if finding is None:
        return HIDDEN_CONFIDENCE
    sizes = np.array([len(line.tokens) for line in judged.lines], dtype=np.float64)
    numbers = [line.number for line in judged.lines]
    kept = sizes * np.isin(numbers, page.text_lines[kept_texts(page, finding)])
    total, likely = max(1.0, kept.sum()), judged.probabilities
    expected_f1 = 2 * (kept * likely).sum() / max(1.0, kept.sum() + (sizes * likely).sum())
    sureness = (kept * judged.role_probabilities.max(axis=1, initial=0.0)).sum() / total
    return 1 / (1 + exp(-(F1_WEIGHT * expected_f1 + SURENESS_WEIGHT * sureness + BASE_LOG_ODDS)))


def with_page_judged(page: PageInTemplate, article: Article, finding: Finding | None) -> Article:
    """Set an article's confidence, and its kind unless the page declares one."""
    kind = finding.kind if finding is not None and finding.kind else article.metadata.kind
    confidence = confidence_of(page.outline, page.judged, finding)
    if finding is not None and finding.menu is not None:
        confidence *= min(MAX_LISTING_FACTOR, 1.0 - finding.menu)
    return replace(
        article,
        title=_title_of(page, article, finding),
        confidence=round(confidence, 3),
        corrections=_corrections(page),
        metadata=replace(article.metadata, kind=kind),
    )


MIN_TITLE = 0.2  # probability of being the headline for a line that replaces the site's name
MAX_LINES_TO_TITLE = 12  # lines between the body and a line that replaces the site's name


def _title_of(page: PageInTemplate, article: Article, finding: Finding | None) -> str | None:
    """Return the article's title or, if that is only the site's name, the likeliest headline."""
    title, judged = article.title, page.judged
    is_site_name = title is not None and titles.names_site(page.outline, title, page.url)
    if article.heading is not None or not is_site_name or finding is None or not finding.lines:
        return title
    likelihood = judged.probability_of(("title",))
    first = next((at for at, line in enumerate(judged.lines) if line.number in finding.lines), 0)
    places = range(max(0, first - MAX_LINES_TO_TITLE), first)
    best = max(places, key=likelihood.__getitem__, default=None)
    return judged.lines[best].text if best is not None and likelihood[best] > MIN_TITLE else title


MAX_CORRECTIONS = 5  # correction notes in an article
MAX_CORRECTION_CHARACTERS = 1_000  # length of a correction note, in characters; the rest is cut off


def _corrections(page: PageInTemplate) -> tuple[str, ...]:
    """Return the correction notes that the site added to the article, without duplicates."""
    judged, lines = page.judged, page.outline.lines
    role = judged.roles.index("correction")
    numbers = np.flatnonzero(judged.role_probabilities.argmax(axis=1) == role)
    texts = (words.clean("".join(node.text for node in lines[number])) for number in numbers)
    distinct = dict.fromkeys(text[:MAX_CORRECTION_CHARACTERS] for text in texts)
    return tuple(distinct)[:MAX_CORRECTIONS]


def find_article(
    page: PageInTemplate, comments: Collection[int] = frozenset()
) -> tuple[Article, Finding | None]:
    """Extract the article like `extract_article`; the finding is None if the article is hidden."""

    def read_opened(root: HtmlElement) -> Article:
        found = _find_displayed(replace(page, outline=Outline.of(root), posts=None))
        if found is None:
            raise NoTextError("the page shows no text")
        return found[0]

    shown = _find_displayed(page, comments)
    article = hidden.hidden_article(
        page.url,
        page.outline,
        shown[0] if shown is not None else None,
        extract=lambda text, body: article_of(page.url, text, page.template.titles, body),
        read=page.read_opened or read_opened,
    )
    if article is not None:
        # Metadata around the displayed text is more complete than that in the head alone.
        metadata = article.metadata if shown is None else shown[0].metadata
        return replace(article, metadata=metadata), None
    if hidden.needs_rendering(page.outline):
        raise NeedsRenderingError("the page is empty until a browser runs its scripts")
    if shown is None:
        raise NoTextError("the page shows no text")
    return shown


def _find_displayed(
    page: PageInTemplate, comments: Collection[int] = ()
) -> tuple[Article, Finding] | None:
    shown = _read_text(page, comments)
    menu = _menu_probability(page, shown) if menus.is_menu(page.outline) else None
    if menu is not None and menu >= menus.MIN_PROBABILITY:
        raise MenuPageError(menu)
    if shown is None:
        return None
    article, finding = shown
    is_listing = menu is not None and finding.kind == "article"
    return article, replace(finding, menu=menu, kind="listing" if is_listing else finding.kind)


def _menu_probability(page: PageInTemplate, shown: tuple[Article, Finding] | None) -> float:
    """Return the probability that a page that looks like a menu is one, given what it displays."""
    if shown is None:
        return 1.0
    has_posts = page.posts is not None and page.posts() is not None
    words = count_words(shown[0].text)
    return menus.menu_probability(
        page.outline, page.url, page.judged.kinds, words, has_posts=has_posts
    )


def _read_text(page: PageInTemplate, comments: Collection[int]) -> tuple[Article, Finding] | None:
    """Extract the displayed article of a page; return None if no text is displayed."""
    thread = _find_thread(page) if page.judged.kind == "forum" else None
    if thread is not None:
        # In a thread, the readers' posts are the text.
        article, finding = _extract(page, thread, (), is_thread=True)
        # A page that declares another kind, such as a live report, is not a thread.
        if article.text and article.metadata.kind == "article":
            return article, replace(finding, kind="forum")
    candidates = (_extract(page, body, comments) for body in _bodies(page))
    shown = next((each for each in candidates if each[0].text), None)
    if shown is None:
        return None
    article, finding = shown
    kind = article.metadata.kind
    # Of 55 pages of the corpus wcxb that declare themselves news articles, 54 are.
    if kind == "article" and "newsarticle" not in declared_types(page.outline):
        kind = page.judged.kind
    return article, replace(finding, kind=kind)


def _extract(
    page: PageInTemplate, body: Finding, comments: Collection[int], *, is_thread: bool = False
) -> tuple[Article, Finding]:
    outline, template = page.outline, page.template
    finding = exclude(outline, body, comments) if comments else body
    found = titles.headline(outline, finding.container, page.url, template.titles)
    further = () if is_thread else further_articles(outline, finding, found[1], page.url)
    finding = without_further_articles(outline, finding, further)
    article = article_of(page.url, outline, template.titles, finding, template.by_digest, found)
    return article, finding


def _find_thread(page: PageInTemplate) -> Finding | None:
    """Find the thread of a page that is most likely a forum page."""
    posts = page.posts() if page.posts is not None else None
    body = next(_bodies(page), None)
    if posts is None or body is None:
        return None
    _, heading = titles.headline(page.outline, body.container, page.url, page.template.titles)
    likelihood = page.judged.kinds["forum"]
    return find_thread(page.outline, page.judged, body, posts, likelihood, heading, page.text_roles)


def _bodies(page: PageInTemplate) -> Iterator[Finding]:
    """Yield candidate bodies, best first."""
    roles = page.text_roles or TEXT_ROLES
    from_lines = find_body(page.outline, page.judged, roles, page.favor, page.url)
    if from_lines is not None:
        yield from_lines
    from_sentences = sentences.find_body(page.outline)
    if from_sentences is not None:
        is_likely = page.judged.probabilities.max(initial=0.0) >= MIN_LIKELY_LINE
        marks = page.outline.count_in_texts(Count.SENTENCES)
        if is_likely or marks[kept_texts(page.outline, from_sentences)].any():
            yield from_sentences


MAX_LEADING = 5  # blocks at the start of a text that may be its lead
MIN_LEAD_WORDS = 5  # words in a lead; a shorter text is a section name


def article_of(
    url: str,
    outline: Outline,
    others: Sequence[Titles],
    finding: Finding,
    template_lines: Collection[int] = frozenset(),
    headline: tuple[str | None, int | None] | None = None,
) -> Article:
    """Build the article from a body; `others` and `template_lines` describe its template."""
    title, heading = headline or titles.headline(outline, finding.container, url, others)
    if heading is not None:
        finding = replace(finding, dropped=finding.dropped | {heading})
    base = base_of(outline.root, url)
    body = blocks_of(outline, finding, base, title)
    text, blocks = body.text, tuple(body.blocks)
    embeds = tuple(each for each in body.media if isinstance(each, ArticleEmbed))
    shown = tuple(each for each in body.media if isinstance(each, ArticleImage))
    leading = {
        each.url: replace(each, block=0)
        for each in leading_images(outline, finding, heading, base)
        if all(each.url != other.url for other in shown)
    }
    lead = "\n".join(block.text for block in blocks[:MAX_LEADING] if block.role == "lead")
    language = language_of(outline, text)
    metadata = read_metadata(
        outline,
        finding,
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
        blocks=blocks,
        images=(*leading.values(), *shown),
        embeds=embeds,
        language=language,
        method=finding.method,
        xpath=outline.node(finding.container).path(),
        confidence=round(finding.confidence, 3),
        metadata=replace(metadata, lead=lead if count_words(lead) >= MIN_LEAD_WORDS else None),
        container=outline.node(finding.container).index,
        heading=None if heading is None else outline.node(heading).index,
    )
