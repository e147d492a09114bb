"""Articles that a page contains but does not display until its scripts have run.

They are in structured data (``articleBody``), in the JSON state of the site's scripts, or in
``noscript`` and ``template`` elements (including declarative shadow trees). The search does not
depend on any framework: a text in a script's state counts as an article if it is next to a date or
the page's title.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace

from lxml.html import HtmlElement

from detourage.article import Article
from detourage.html import PageError, parse_page
from detourage.html.nodes import Node, element_at
from detourage.reader import titles
from detourage.reader.errors import NoArticleError
from detourage.reader.finding import Finding
from detourage.reader.locations import without_locations
from detourage.reader.outline import Outline
from detourage.reader.scripts import (
    MIN_STATE,
    Passage,
    is_prose,
    is_structured_data,
    passages,
    program_state,
    structured_data,
)
from detourage.text import words

ARTICLE_BODY = "articleBody"
JSON_STATE = "json-state"

MIN_LONGER = 1.5  # length of the hidden text relative to the displayed fragment
MIN_CONTAINED = 0.9  # share of the displayed words in a hidden text of which they are a fragment
MAX_SHOWN = 0.5  # share of the hidden text's words that the page also displays
MIN_MUCH_LONGER = 3.0  # length of a hidden text relative to a displayed one outside it

MAX_SHELL_WORDS = 60
"""Maximum number of words (a notice, a menu) that a page displays before its scripts fill it; more
are replaced only by an ``articleBody``, since sites keep other articles in their scripts' state."""

MAX_CANDIDATES = 3  # texts in scripts that are extracted and compared with the displayed one
MAX_TEASER_CHARACTERS = 2_000  # characters examined to determine whether a text is a teaser
MAX_TEASER_WORDS = 150  # words in a fragment that may be replaced by other than an ``articleBody``

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?")

_NOTHING: Counter[str] = Counter()

UNSEEN = ("noscript", "template")  # Elements whose content a page does not display


Cut = Callable[[Outline, Finding], Article]
"""Function that extracts the article from an outline whose body is known."""

Find = Callable[[HtmlElement], Article]
"""Function that extracts the article of a document; it may raise `NoArticleError`."""


def hidden_article(
    url: str, page: Outline, shown: Article | None, cut: Cut, find: Find
) -> Article | None:
    """Find an article that a page contains but does not display; None to keep the displayed one."""
    text = shown.text if shown is not None else ""
    is_teaser = len(words.tokens(text[:MAX_TEASER_CHARACTERS])) <= MAX_TEASER_WORDS
    for article in _candidates(url, page, shown, is_teaser, cut, find):
        if not _is_better(article, words.tokens(text), page):
            continue
        if shown is None:
            return article
        return replace(
            article,
            images=article.images or tuple(replace(each, block=None) for each in shown.images),
            embeds=article.embeds or tuple(replace(each, block=None) for each in shown.embeds),
        )
    return None


def needs_rendering(page: Outline) -> bool:
    """Return whether a page is a shell that is filled by scripts in a browser.

    A shell displays hardly any words, runs scripts, and has an empty element for them to fill: a
    child of the body or a custom element (with a hyphen in its name) without text or media.
    """
    if len(page.tokens) > MAX_SHELL_WORDS:
        return False
    runs = any(
        script.get("src") or (script.text or "").strip()
        for script in page.root.iter("script")
        if "json" not in (script.get("type") or "")
    )
    return runs and any(_is_to_be_filled(page, index) for index in range(len(page.elements)))


def _is_to_be_filled(page: Outline, index: int) -> bool:
    tag = page.tags[index]
    parent = page.parents[index]
    below_body = parent >= 0 and page.tags[parent] == "body"
    if page.size(index) or not ("-" in tag or (below_body and tag in ("div", "main", "section"))):
        return False
    below = page.tags[index + 1 : page.ends[index]]
    return all(tag not in ("img", "picture", "iframe", "video", "audio") for tag in below)


def _is_better(article: Article, shown: Sequence[str], page: Outline) -> bool:
    tokens = words.tokens(article.text)
    counts, said = Counter(tokens), Counter(shown)
    is_whole = (said & counts).total() >= MIN_CONTAINED * len(shown)
    # A text that continues the displayed one contains it.
    of_shown = said if is_whole and article.method in UNSEEN else _NOTHING
    if not tokens or _is_shown(counts - of_shown, page, of_shown):
        return False
    is_body = article.method == ARTICLE_BODY
    if is_whole:
        return len(tokens) >= MIN_LONGER * len(shown)
    is_shell = is_body or len(shown) <= MAX_SHELL_WORDS
    return is_shell and len(tokens) >= MIN_MUCH_LONGER * len(shown)


def _is_shown(counts: Counter[str], page: Outline, but: Counter[str] = _NOTHING) -> bool:
    """Return whether the page displays most of a text, given its tokens, outside the text `but`."""
    return (counts & (page.token_counts - but)).total() > MAX_SHOWN * counts.total()


def _candidates(
    url: str, page: Outline, shown: Article | None, is_teaser: bool, cut: Cut, find: Find
) -> Iterator[Article]:
    """Yield possible hidden articles, which are longer than the displayed one.

    If the page displays more than a teaser, only a declared ``articleBody`` is considered, and
    `UNSEEN` elements within the displayed article, which they may continue.
    """
    length = len(shown.text) if shown is not None else 0
    extent = range(0)
    if shown is not None and shown.container is not None:
        extent = range(shown.container + 1, int(page.document.ends[shown.container]))
    least = int(MIN_LONGER * length)
    bodies = structured_data(page.declaring, max(least, 1), ARTICLE_BODY)
    declared = (
        (script, each) for script, value in bodies for each in passages(value, ARTICLE_BODY)
    )
    yield from _articles_of(url, page, declared, ARTICLE_BODY, cut)
    if is_teaser:
        states = program_state(page.declaring, max(least, MIN_STATE))
        kept = ((script, each) for script, value in states for each in passages(value))
        yield from _articles_of(url, page, kept, JSON_STATE, cut)
    for tag in UNSEEN:
        elements = [each for each in page.root.iter(tag) if is_teaser or each.index in extent]
        article = _in_unseen(page, tag, elements, least - length, find)
        if article is not None:
            yield article


def _articles_of(
    url: str, page: Outline, found: Iterable[tuple[Node, Passage]], method: str, cut: Cut
) -> Iterator[Article]:
    """Extract articles from texts: those next to the page's title first, then the longest first.

    A text in a script's state is considered only if it is next to a title or a date.
    """
    declared = [set(words.tokens(title)) for title in titles.declared_titles(page, url)]
    ranked: list[tuple[bool, int, Node, Passage]] = []
    for script, passage in found:
        is_titled = any(
            len(tokens := set(words.tokens(text))) >= titles.MIN_HEADLINE_WORDS
            and any(2 * len(tokens & title) >= len(title) for title in declared)
            for text in passage.nearby
        )
        if method == ARTICLE_BODY or is_titled or any(map(_DATE.fullmatch, passage.nearby)):
            ranked.append((is_titled, len(passage.plain), script, passage))
    ranked.sort(key=lambda each: each[:2], reverse=True)
    for _, _, script, passage in ranked[:MAX_CANDIDATES]:
        if _is_shown(Counter(words.tokens(passage.plain)), page):
            continue
        article = _article_of(page.elements[0], script, passage, cut)
        if article is not None:
            yield replace(article, method=method)


def _article_of(document: HtmlElement, script: Node, passage: Passage, cut: Cut) -> Article | None:
    """Extract a text as an article, with the metadata in the head of its page."""
    try:
        made = parse_page(f"<html><body>{passage.html}</body></html>").document
    except PageError:
        return None
    head = deepcopy(document.find("head"))
    if head is None:
        head = made.makeelement("head")
    for data in filter(is_structured_data, document.iter("script")):
        # Structured data applies to the article regardless of its position on the page.
        if data.getparent().tag != "head":
            head.append(deepcopy(data))
    made.insert(0, head)
    for name, value in document.items():
        made.set(name, value)
    outline = Outline.of(made)
    body = next((index for index, tag in enumerate(outline.tags) if tag == "body"), 0)
    article = cut(outline, Finding(JSON_STATE, body))
    return without_locations(replace(article, xpath=script.path()))


def _in_unseen(
    page: Outline, tag: str, elements: Iterable[Node], least: int, find: Find
) -> Article | None:
    """Extract a page's article as if the elements with a tag were displayed, if they are long."""
    # Clean the text before measuring it: the whitespace between elements may be longer than the
    # text. An article may be divided among them, with a paragraph in each.
    text = "\n".join(words.clean(element.text_content()) for element in elements)
    if len(text) < least or not is_prose(text):
        return None
    opened = deepcopy(page.elements[0])
    shown = [*opened.iter(tag)]
    for element in shown:
        element.tag = "div"
    try:
        article = find(opened)
    except NoArticleError:
        return None
    container = element_at(opened, article.xpath)
    for element in shown:
        element.tag = tag
    return replace(article, method=tag, xpath=opened.getroottree().getpath(container))
