"""What speaks for each kind of page: a row of numbers for the page."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

import numpy as np

from worker.extraction.finding import Finding
from worker.extraction.outline import Outline
from worker.extraction.result import BlockType, Extraction
from worker.extraction.scripts import is_structured_data
from worker.language.texts import count_words
from worker.learning import Features

MAX_PATH = 300
"""Characters of an address that are read."""

COUNTED_TAGS = (
    *("h1", "h2", "h3", "form", "input", "button", "select", "img", "time", "article"),
    *("table", "pre", "code", "li", "iframe", "dl", "nav", "section", "label", "svg"),
)

BLOCK_TYPES: tuple[BlockType, ...] = (
    "paragraph",
    "heading",
    "list_item",
    "quote",
    "table",
    "code",
    "caption",
)

MIN_ITEM_TOKENS = 5
"""Tokens of an element from which it may be an item among others."""

MAX_SCRIPT = 500_000
"""Characters of JSON-LD that are searched for declared types."""

_TYPE = re.compile(r'"@type"\s*+:\s*+\[?\s*+"([A-Za-z]{1,60})"')
_PRICE = re.compile(
    r"[$€£¥₹₽₩]\s?\d|\d\s?(?:[€£¥₹₽₩]|(?:usd|eur|gbp|chf|zł|kr|руб)\b)", re.IGNORECASE
)

# Of schema.org and OpenGraph, in lower case.
_DECLARED = {
    "article": r"(?:^|news|scholarly)article$|posting$|^report|^blog$",
    "product": r"^product|offer|^vehicle$|^book$",
    "forum": r"discussionforum|^qapage$|^question$",
    "list": r"^itemlist$|^collectionpage$|searchresults|^offercatalog$",
    "manual": r"techarticle|howto|faqpage|apireference",
    "service": r"organization|business$|^service|corporation|agency|webapplication|softwareapp",
    "site": r"^website$|^webpage$|^aboutpage$|^contactpage$",
    "recipe": r"^recipe$|^review",
}

_PATHS = {
    "article": r"blog|blogs|news|article|articles|story|stories|post|posts|magazine|insights|press",
    "product": r"product|products|p|dp|item|shop|buy|store|app|plugins|book|books",
    "forum": r"forum|forums|thread|threads|topic|topics|t|viewtopic|showthread|questions|discussion"
    r"|discussions|community|comments|issues|r",
    "list": r"category|categories|tag|tags|collections?|c|search|browse|archives?|list|topics"
    r"|author|events|jobs|directory|all",
    "manual": r"docs?|documentation|api|reference|guide|guides|manual|wiki|help|support|tutorials?"
    r"|learn|faq|kb|latest|stable|man",
    "service": r"services?|solutions?|pricing|about|platform|features|industries|company|careers"
    r"|contact|use-cases|consulting|treatments|practice-areas",
}
_HOSTS = {
    "forum": r"forums?|community|discuss|discourse|reddit|stackoverflow|stackexchange|answers",
    "manual": r"docs?|developers?|help|support|wiki|api|learn|readthedocs|kb|manual",
    "article": r"blog|news|magazine|times|post|journal|daily",
    "product": r"shop|store|apps|amazon|ebay|etsy",
}


def _compiled(patterns: dict[str, str], form: str) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(form.format(pattern)) for name, pattern in patterns.items()}


_DECLARED_PATTERNS = _compiled(_DECLARED, "(?:{})")
_PATH_PATTERNS = _compiled(_PATHS, r"(?:^|[/_.=?&-])(?:{})(?=[/_.=?&-]|$)")
_SEGMENT_PATTERNS = _compiled(_PATHS, r"/(?:{})(?=/|$)")
_HOST_PATTERNS = _compiled(_HOSTS, r"(?:^|[.-])(?:{})(?=[.-]|$)")


@dataclass(frozen=True)
class Facts:
    """What is known of a page when its kind is asked for.

    Attributes
    ----------
    page, finding
        The page and its body.
    article
        Its main content.
    url
        Its address.
    """

    page: Outline
    finding: Finding
    article: Extraction
    url: str


def kind_evidence(facts: Facts) -> Features:
    """Count what tells the kind of a page; one row."""
    numbers = [
        *_of_text(facts),
        *_of_page(facts.page),
        *_of_declarations(facts.page),
        *_of_url(facts.url),
    ]
    return Features.of((name, [number]) for name, number in numbers)


_Number = tuple[str, float]


def _of_text(facts: Facts) -> Iterator[_Number]:
    page, article = facts.page, facts.article
    blocks = article.blocks
    sizes = [(block.type, count_words(block.text)) for block in blocks]
    total = sum(size for _, size in sizes)
    counts = Counter(kind for kind, _ in sizes)
    yield "text_words", total
    yield "text_share", total / max(1, len(page.tokens))
    yield "confidence", facts.finding.confidence
    for kind in BLOCK_TYPES:
        of_kind = sum(size for each, size in sizes if each == kind)
        yield f"{kind}_blocks", counts[kind]
        yield f"{kind}_share", of_kind / max(1, total)
    paragraphs = [size for kind, size in sizes if kind == "paragraph"]
    yield "mean_paragraph", float(np.mean(paragraphs)) if paragraphs else 0.0
    yield "longest_paragraph", max(paragraphs, default=0)
    yield "short_paragraphs", sum(size < 12 for size in paragraphs) / max(1, len(paragraphs))
    yield "images", len(article.images)
    yield "embeds", len(article.embeds)
    yield "questions", sum("?" in block.text for block in blocks) / max(1, len(blocks))
    yield "prices_in_text", sum(_PRICE.search(block.text) is not None for block in blocks)
    yield "has_author", bool(article.metadata.authors)
    yield "has_date", article.metadata.published is not None


def _of_page(page: Outline) -> Iterator[_Number]:
    tokens = len(page.tokens)
    linked = sum(text.size for text in page.texts if page.links[text.parent] >= 0)
    yield "page_words", tokens
    yield "page_texts", len(page.texts)
    yield "page_linked", linked / max(1, tokens)
    numbers = np.bincount(page.flat.tag_numbers, minlength=len(page.flat.distinct_tags))
    elements = dict(zip(page.flat.distinct_tags, numbers.tolist(), strict=True))
    for tag in COUNTED_TAGS:
        yield f"{tag}_elements", elements.get(tag, 0)
    yield "page_prices", sum(_PRICE.search(text.text) is not None for text in page.texts)
    items, share = _largest_run(page)
    yield "largest_run", items
    yield "largest_run_share", share


def _largest_run(page: Outline) -> tuple[int, float]:
    """Return how many siblings of one tag and class hold most words, and what share they hold."""
    flat = page.flat
    sizes = page.sizes
    places = np.flatnonzero((sizes >= MIN_ITEM_TOKENS) & (flat.parents >= 0))
    if not len(places):
        return 0, 0.0
    keys = np.stack(
        [flat.parents[places], flat.tag_numbers[places], flat.name_numbers[places]], axis=1
    )
    _, groups, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    held = np.bincount(groups.ravel(), sizes[places])
    held[counts < 3] = 0
    best = int(held.argmax())
    if not held[best]:
        return 0, 0.0
    return int(counts[best]), float(held[best] / max(1, len(page.tokens)))


def _of_declarations(page: Outline) -> Iterator[_Number]:
    types = set(declared_types(page))
    for name, pattern in _DECLARED_PATTERNS.items():
        yield f"declared_{name}", any(map(pattern.search, types))
    yield "declared_types", len(types)


def declared_types(page: Outline) -> list[str]:
    """List the types that a page declares anything on it to be, in lower case."""
    scripts = (node for node in page.declaring if node.tag == "script")
    written = "\n".join(node.text or "" for node in scripts if is_structured_data(node))
    _, marked = page.flat.attributes.named("itemtype")
    found = _TYPE.findall(written[:MAX_SCRIPT])
    found += [value.rpartition("/")[2] for value in marked]
    found.append(page.metas.get("og:type", "").rpartition(":")[2])
    return [kind.strip().lower() for kind in found if kind]


def _of_url(url: str) -> Iterator[_Number]:
    parts = _parts(url)
    path = parts.path[:MAX_PATH].lower()
    host = (parts.hostname or "")[:MAX_PATH]
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1] if segments else ""
    yield "url_depth", len(segments)
    yield "url_hyphens", last.count("-") + last.count("_")
    yield "url_digits", sum(character.isdigit() for character in path)
    yield "url_query", len(parts.query[:MAX_PATH])
    for name, pattern in _PATH_PATTERNS.items():
        yield f"url_word_{name}", pattern.search(path) is not None
    for name, pattern in _SEGMENT_PATTERNS.items():
        yield f"url_part_{name}", pattern.search(path) is not None
    for name, pattern in _HOST_PATTERNS.items():
        yield f"url_host_{name}", pattern.search(host) is not None


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")
