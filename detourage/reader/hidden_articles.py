"""Articles that a page contains but does not display until its scripts have run.

They are in structured data (``articleBody``), in the JSON state of the site's scripts, or in
``noscript`` and ``template`` elements (including declarative shadow trees). The search does not
depend on any framework: a text in a script's state counts as an article if it is next to a date or
the page's title.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import chain, compress

from detourage.article import Article
from detourage.html import PageError, parse_page
from detourage.html.flat import FlatDocument, HtmlElement
from detourage.html.nodes import Node, Paths, index_at
from detourage.metadata.json_ld import is_json_ld
from detourage.reader import titles
from detourage.reader.found_body import FoundBody
from detourage.reader.locations import without_locations
from detourage.reader.no_article_errors import NoArticleError
from detourage.reader.outline import Outline
from detourage.reader.scripts import Passage, is_prose, passages, program_state, structured_data
from detourage.text import words
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.token_counts import count_words

ARTICLE_BODY = "articleBody"
JSON_STATE = "json-state"

MIN_CONTAINED = 0.9  # share of the displayed text's words in a hidden text that continues it
MIN_RATIO = 1.5  # words in a hidden text that continues the displayed text, relative to that text
MIN_RATIO_OF_OTHER = 3.0  # words in any other hidden text, relative to the displayed one
MAX_SHOWN = 0.5  # share of the hidden text's words that the page also displays

MAX_SHELL_WORDS = 60
"""Maximum number of words (a notice, a menu) that a page displays before its scripts fill it. Only
an ``articleBody`` replaces more words: the state of scripts may also contain other articles."""

MIN_LONG_TEXT = 20  # tokens in a displayed text that is compared first
MAX_CANDIDATES = 3  # texts in scripts that are compared with the displayed one
MAX_TEASER_CHARACTERS = 2_000  # characters examined to determine whether a text is a teaser
MAX_TEASER_WORDS = 150  # words in a teaser; only an ``articleBody`` replaces a longer text

_DATE = lazy_pattern(r"\d{4}-\d\d-\d\d(?:[T ].*)?")

_NOTHING: Counter[str] = Counter()

UNDISPLAYED_TAGS = ("noscript", "template")  # Elements whose content a page does not display

Extract = Callable[[Outline, FoundBody], Article]
"""Function that extracts the article from an outline whose body is known."""

Read = Callable[[FlatDocument], Article]
"""Function that extracts the article of a whole document, or raises `NoArticleError`."""


def hidden_article(
    url: str, page: Outline, shown: Article | None, extract: Extract, read: Read
) -> Article | None:
    """Find an article that a page does not display, if it is better than the displayed `shown`."""
    text = shown.text if shown is not None else ""
    beginning = text[:MAX_TEASER_CHARACTERS]
    # Count words first, which is faster; a text has at least as many tokens as words.
    is_teaser = count_words(beginning) <= MAX_TEASER_WORDS >= len(words.tokens(beginning))
    for article in _candidates(url, page, shown, is_teaser, extract, read):
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
    if page.size(0) > MAX_SHELL_WORDS:
        return False
    has_script = any(
        script.get("src") or (script.text or "").strip()
        for script in page.root.iter("script")
        if "json" not in (script.get("type") or "")
    )
    return has_script and any(_is_to_be_filled(page, index) for index in range(len(page.tags)))


def _is_to_be_filled(page: Outline, index: int) -> bool:
    """Return whether an element is an empty custom element, or an empty container in the body."""
    tag = page.tags[index]
    parent = page.parents[index]
    is_in_body = parent >= 0 and page.tags[parent] == "body"
    if page.size(index) or not ("-" in tag or (is_in_body and tag in ("div", "main", "section"))):
        return False
    below = page.tags[index + 1 : page.ends[index]]
    return all(tag not in ("img", "picture", "iframe", "video", "audio") for tag in below)


def _is_better(article: Article, shown: Sequence[str], page: Outline) -> bool:
    """Return whether a hidden article should replace the displayed text, given as tokens."""
    tokens = words.tokens(article.text)
    counts, shown_counts = Counter(tokens), Counter(shown)
    contains_shown = (shown_counts & counts).total() >= MIN_CONTAINED * len(shown)
    # A page read with hidden elements opened contains the displayed text as well.
    ignored = shown_counts if contains_shown and article.method in UNDISPLAYED_TAGS else _NOTHING
    if not tokens or _is_shown(counts - ignored, page, ignored):
        return False
    if contains_shown:
        return len(tokens) >= MIN_RATIO * len(shown)
    may_replace = article.method == ARTICLE_BODY or len(shown) <= MAX_SHELL_WORDS
    return may_replace and len(tokens) >= MIN_RATIO_OF_OTHER * len(shown)


def _is_shown(counts: Counter[str], page: Outline, ignored: Counter[str] = _NOTHING) -> bool:
    """Return whether a page displays most of the counted tokens, apart from the ignored ones."""

    def has_most(shown: Counter[str]) -> bool:
        others = shown - ignored if ignored else shown
        return (counts & others).total() > MAX_SHOWN * counts.total()

    # The long texts, which take less time, are enough if the page displays the same article.
    long_texts = compress(page.flat.texts, (page.text_sizes >= MIN_LONG_TEXT).tolist())
    tokens = chain.from_iterable(map(words.tokens, long_texts))
    long_counts = page.cached(_is_shown, lambda: Counter(tokens))
    return has_most(long_counts) or has_most(page.token_counts)


def _candidates(
    url: str, page: Outline, shown: Article | None, is_teaser: bool, extract: Extract, read: Read
) -> Iterator[Article]:
    """Yield possible hidden articles, which are longer than the displayed one.

    If the page displays more than a teaser, the only candidates are a declared ``articleBody`` and
    `UNDISPLAYED_TAGS` elements within the displayed article, which may contain its continuation.
    The state of scripts comes last, because it also describes other parts of the site.
    """
    length = len(shown.text) if shown is not None else 0
    min_length = int(MIN_RATIO * length)
    data = structured_data(
        page.document, lambda text: len(text) >= min_length and ARTICLE_BODY in text
    )
    bodies = ((script, each) for script, value in data for each in passages(value, ARTICLE_BODY))
    yield from _articles_of(url, page, bodies, ARTICLE_BODY, extract)
    around = page.root
    if not is_teaser and shown is not None and shown.container is not None:
        around = Node(page.document, shown.container)
    for tag in UNDISPLAYED_TAGS:
        article = _in_undisplayed(page, tag, around.iter(tag), min_length - length, read)
        if article is not None:
            yield article
    if is_teaser:
        states = program_state(page.document, lambda text: len(text) >= min_length)
        texts = ((script, each) for script, value in states for each in passages(value))
        yield from _articles_of(url, page, texts, JSON_STATE, extract)


def _articles_of(
    url: str, page: Outline, texts: Iterable[tuple[Node, Passage]], method: str, extract: Extract
) -> Iterator[Article]:
    """Extract articles from texts, beginning with those next to the page's title, longest first.

    A text in a script's state is considered only if it is next to a title or a date.
    """
    found = [*texts]
    if not found:
        return
    declared = [set(words.tokens(title)) for title in titles.site_and_titles(page, url)[1]]

    def is_title(text: str) -> bool:
        """Return whether a text has at least half of the words of a declared title."""
        tokens = set(words.tokens(text))
        has_half = any(2 * len(tokens & title) >= len(title) for title in declared)
        return len(tokens) >= titles.MIN_HEADLINE_WORDS and has_half

    ranked: list[tuple[bool, int, Node, Passage]] = []
    for script, passage in found:
        is_near_title = any(map(is_title, passage.nearby))
        if method == ARTICLE_BODY or is_near_title or any(map(_DATE.fullmatch, passage.nearby)):
            ranked.append((is_near_title, len(passage.plain), script, passage))
    ranked.sort(key=lambda each: each[:2], reverse=True)
    for _, _, script, passage in ranked[:MAX_CANDIDATES]:
        if _is_shown(Counter(words.tokens(passage.plain)), page):
            continue
        article = _article_of(page.document.root(), script, passage, extract)
        if article is not None:
            yield replace(article, method=method)


def _article_of(
    document: HtmlElement, script: Node, passage: Passage, extract: Extract
) -> Article | None:
    """Extract an article from a text in a script, with the metadata in the page's head."""
    from lxml.html import tostring

    page, head = document.makeelement("html", document.attrib), document.find("head")
    # Structured data applies to the article regardless of its position on the page.
    scripts = [each for each in document.iter("script") if is_json_ld(each.get("type"))]
    outside = [each for each in scripts if each.getparent().tag != "head"]
    page.extend(map(deepcopy, outside if head is None else [head, *outside]))
    start = tostring(page, encoding="unicode").removesuffix("</html>")
    try:
        parsed = parse_page(f"{start}<body>{passage.html}</body></html>")
    except PageError:
        return None
    outline = Outline.of(parsed.flat)
    body = next((index for index, tag in enumerate(outline.tags) if tag == "body"), 0)
    article = extract(outline, FoundBody(JSON_STATE, body))
    return without_locations(replace(article, xpath=script.path()))


def _in_undisplayed(
    page: Outline, tag: str, elements: Iterable[Node], min_length: int, read: Read
) -> Article | None:
    """Read a page as if its `tag` elements were displayed; None if they have no article."""
    # Whitespace between elements does not count. Each element may hold one paragraph.
    text = "\n".join(words.clean(element.text_content()) for element in elements)
    if len(text) < min_length or not is_prose(text):
        return None
    opened = page.document.with_renamed(tag, "div")
    try:
        article = read(opened)
    except NoArticleError:
        return None
    container = index_at(opened, article.xpath) or 0
    return replace(article, method=tag, xpath=Paths.of(page.document).path(container))
