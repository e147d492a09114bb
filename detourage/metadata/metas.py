"""Declarations in the ``meta`` and ``link`` elements of a page's head.

Their names come from OpenGraph, Dublin Core, Parsely, Sailthru, Google Scholar and hundreds of
content management systems. Because prefixes and separators vary, a name is recognised by the words
it contains.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from urllib.parse import unquote

from detourage.html.names import split_name
from detourage.html.nodes import AnyElement
from detourage.metadata.record import Record
from detourage.text import words
from detourage.text.caches import cached_if_short

MAX_METAS = 500
"""Maximum number of ``meta`` and ``link`` elements examined per page."""

_EXACT = {
    "og:title": "titles",
    "twitter:title": "titles",
    "og:description": "descriptions",
    "description": "descriptions",
    "twitter:description": "descriptions",
    "og:site_name": "sites",
    "application-name": "sites",
    "publisher": "sites",
    "og:type": "kinds",
    "og:url": "addresses",
    "keywords": "tags",
    "news_keywords": "tags",
    "date": "published",
}

MAX_NAME = 200
"""Maximum length of an element's name, in characters; the rest is ignored."""

# The first matching pattern wins. The patterns match the words of a name, joined by single spaces.
_BY_WORDS = tuple(
    (re.compile(pattern), field)
    for pattern, field in (
        (r"\b(?:twitter|fb|google|msapplication|verification|image|video|expir)", ""),
        (r"\b(?:modified|updated|modification|lastmod|revised|update|revision)\b", "modified"),
        (
            r"(?>^.*?\b(?:date|dat|time|on)\b).*\b(?:pub\w*|created?|issued|release|original)\b",
            "published",
        ),
        (
            r"(?>^.*?\b(?:pub\w*|created?|issued|release|original|article)\b).*\b(?:date|time|on)\b",
            "published",
        ),
        (r"(?:^| )(?:pub|publish|published|publication)(?:date|time)$", "published"),
        (r"^datepublished$|(?:^| )date$", "published"),
        (r"^(?:dc|dcterms) (?:date|created|issued)(?: |$)", "published"),
        (r"(?:^| )(?:author|authors|creator|byl|byline)(?: names?)?$", "authors"),
        (r"(?:^| )section(?: name)?$", "sections"),
        (r"(?:^| )tags?$", "tags"),
        (r"(?:^| )(?:content ?tier|access|paywall)$", "access"),
    )
)


def read_metas(elements: Iterable[AnyElement]) -> Record:
    """Read the declarations about the page's article from ``meta`` and ``link`` elements."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for element in islice(elements, MAX_METAS):
        if element.tag == "link":
            address = element.get("href")
            if address and (element.get("rel") or "").strip().lower() == "canonical":
                found["addresses"].insert(0, words.clean(address))
            continue
        if element.tag != "meta":
            continue
        if element.get("itemprop") is not None and element.get("property") is None:
            continue
        content = words.clean(element.get("content") or "")
        name = element.get("property") or element.get("name") or ""
        field = _field(name.strip()) if content and name else ""
        if field == "access":
            found[field].extend(_access(content))
        elif field:
            found[field].append(content)
    return Record.of(found)


@cached_if_short(1024)
def _field(name: str) -> str:
    field = _EXACT.get(name.lower())
    if field is not None:
        return field
    spelled = " ".join(split_name(unquote(name[:MAX_NAME])))
    return next((field for pattern, field in _BY_WORDS if pattern.search(spelled)), "")


def _access(content: str) -> list[str]:
    tier = content.lower()
    if tier in {"free", "false", "no", "open"}:
        return ["free"]
    return ["paid"] if tier in {"locked", "metered", "paid", "premium", "true", "yes"} else []
