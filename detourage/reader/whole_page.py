"""Features of the whole page, derived from its elements, its declarations and its URL.

They help to classify lines, because captions, dates and advertisements look different in threads,
shops, manuals and older pages.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from detourage.html.addresses import split_url
from detourage.reader.outline import Outline
from detourage.reader.scripts import is_structured_data

Number = tuple[str, float]
"""A named feature value."""

MAX_PATH = 300
"""Maximum number of characters examined in each part of a URL."""

MIN_ITEM_TOKENS = 5
"""Minimum number of tokens in an item of a run."""

MAX_SCRIPT = 500_000
"""Maximum length of JSON-LD searched for declared types."""

_TYPE = re.compile(r'"@type"\s*+:\s*+\[?\s*+"([A-Za-z]{1,60})"')

DECLARED = {
    "article": r"(?:^|news|scholarly)article$|posting$|^report|^blog$",
    "product": r"^product|offer|^vehicle$|^book$",
    "forum": r"discussionforum|^qapage$|^question$",
    "list": r"^itemlist$|^collectionpage$|searchresults|^offercatalog$",
    "manual": r"techarticle|howto|faqpage|apireference",
    "service": r"organization|business$|^service|corporation|agency|webapplication|softwareapp",
    "site": r"^website$|^webpage$|^aboutpage$|^contactpage$",
    "recipe": r"^recipe$|^review",
}
"""Patterns for schema.org and OpenGraph types in lower case, by kind."""

WORDS_OF_PATHS = {
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
"""Words in URL paths, by the kind of page that uses them."""

WORDS_OF_HOSTS = {
    "forum": r"forums?|community|discuss|discourse|reddit|stackoverflow|stackexchange|answers",
    "manual": r"docs?|developers?|help|support|wiki|api|learn|readthedocs|kb|manual",
    "article": r"blog|news|magazine|times|post|journal|daily",
    "product": r"shop|store|apps|amazon|ebay|etsy",
}
"""Words in host names, by the kind of page that uses them."""


_DECLARED_PATTERNS = {kind: re.compile(pattern) for kind, pattern in DECLARED.items()}
_PATH_PATTERNS = {
    kind: re.compile(rf"(?:^|[/_.=?&-])(?:{words})(?=[/_.=?&-]|$)")
    for kind, words in WORDS_OF_PATHS.items()
}
_SEGMENT_PATTERNS = {
    kind: re.compile(rf"/(?:{words})(?=/|$)") for kind, words in WORDS_OF_PATHS.items()
}
_HOST_PATTERNS = {
    kind: re.compile(rf"(?:^|[.-])(?:{words})(?=[.-]|$)") for kind, words in WORDS_OF_HOSTS.items()
}


def of_elements(page: Outline, tags: tuple[str, ...]) -> Iterator[Number]:
    """Count the outline's elements by tag."""
    flat = page.flat
    numbers = np.bincount(flat.tag_numbers, minlength=len(flat.distinct_tags))
    elements = dict(zip(flat.distinct_tags, numbers.tolist(), strict=True))
    for tag in tags:
        yield f"{tag}_elements", elements.get(tag, 0)


def of_attributes(page: Outline, names: tuple[str, ...]) -> Iterator[Number]:
    """Count the outline's elements by attribute."""
    attributes = page.flat.attributes
    numbers = np.bincount(attributes.names, minlength=len(attributes.distinct))
    owners = dict(zip(attributes.distinct, numbers.tolist(), strict=True))
    for name in names:
        yield f"{name}_attributes", owners.get(name, 0)


def of_runs(page: Outline) -> Iterator[Number]:
    """Count the items in the largest run of siblings, and measure its share of the words."""
    items, share = _largest_run(page)
    yield "largest_run", items
    yield "largest_run_share", share


def _largest_run(page: Outline) -> tuple[int, float]:
    flat = page.flat
    sizes = page.sizes
    places = np.flatnonzero((sizes >= MIN_ITEM_TOKENS) & (flat.parents >= 0))
    if not len(places):
        return 0, 0.0
    alike = flat.tag_numbers[places] * (flat.name_numbers.max() + 1) + flat.name_numbers[places]
    keys = flat.parents[places] * (alike.max() + 1) + alike
    _, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
    held = np.bincount(groups, sizes[places])
    held[counts < 3] = 0
    best = int(held.argmax())
    if not held[best]:
        return 0, 0.0
    return int(counts[best]), float(held[best] / max(1, len(page.tokens)))


def of_declarations(page: Outline) -> Iterator[Number]:
    """Describe the types that a page declares."""
    types = set(declared_types(page))
    for name, pattern in _DECLARED_PATTERNS.items():
        yield f"declared_{name}", any(map(pattern.search, types))
    yield "declared_types", len(types)


def declared_types(page: Outline) -> list[str]:
    """Return all types that a page declares, in lower case."""
    if _declared_types not in page.memo:
        page.memo[_declared_types] = _declared_types(page)
    found: list[str] = page.memo[_declared_types]
    return found


def _declared_types(page: Outline) -> list[str]:
    scripts = (node for node in page.declaring if node.tag == "script")
    written = "\n".join(node.text or "" for node in scripts if is_structured_data(node))
    _, marked = page.flat.attributes.named("itemtype")
    found = _TYPE.findall(written[:MAX_SCRIPT])
    found += [value.rpartition("/")[2] for value in marked]
    found.append(page.metas.get("og:type", "").rpartition(":")[2])
    return [kind.strip().lower() for kind in found if kind]


@lru_cache(maxsize=64)
def of_address(url: str) -> tuple[Number, ...]:
    """Return features of a URL: its structure, and words typical of a kind of page."""
    return tuple(_of_address(url))


def _of_address(url: str) -> Iterator[Number]:
    parts = split_url(url)
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
