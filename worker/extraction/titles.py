"""The headline of an article."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from worker.extraction.outline import Outline
from worker.language import words

MIN_SHARED = 0.5
"""Share of a heading's words that the page's declared title must hold for it to be the headline."""

MIN_HEADLINE_WORDS = 5
"""Words of an ``h1`` from which it is the headline whatever the page declares.

Headlines found, of 944 on the development pages: 836 with it, six fewer without; 3 to 8 words
give the same.
"""

MAX_HEADLINE_TOKENS = 100
"""A longer heading, or a longer title, is no headline: an element was left open."""

# No headline holds these; the others may stand in one, and part it from a site's name only.
_STRONG_SEPARATOR = re.compile(r"(?:(?<!\s)\s+)?+(?:[|｜]|::|//)\s*|(?<=\S)_(?=\S)")
_SEPARATOR = re.compile(
    _STRONG_SEPARATOR.pattern + r"|(?<!\s)\s++[-–—:·•»«>/]+\s+|(?:(?<!\s)\s+)?+--+\s*|:\s+"
    r"|(?<=[^\W\d_a-zA-Z])-(?=[^\W\d_a-zA-Z])"
)


@dataclass(frozen=True)
class Titles:
    """What a page is called, for comparison with others of its template.

    Attributes
    ----------
    declared
        The text of its ``title``.
    headings
        The texts of its headings of the first level.
    """

    declared: str
    headings: frozenset[str]

    @classmethod
    def of(cls, page: Outline) -> Self:
        """Read the titles of a page."""
        headings = frozenset(
            text
            for index, text in page.headings
            if page.tags[index] == "h1" and page.size(index) <= MAX_HEADLINE_TOKENS
        )
        return cls(page.title, headings)


def headline(
    page: Outline, container: int, url: str = "", others: Sequence[Titles] = ()
) -> tuple[str | None, int | None]:
    """Find the headline of the article whose body is known.

    A page declares a title in ``og:title`` and in ``title``. Parts at either end that name the
    site are cut off: ``og:site_name``, the host's name, a part of the title of another page of
    the template. A ``title`` without any such part is cut to its longest part. Then, in this
    order, where what another page of the template shows in an ``h1`` is no headline:

    1. the ``h1`` nearest the body that shares half of its words with a declared title: those
       within the body first, then those before it, nearest first;
    2. the nearest ``h1`` that is a phrase (section names and logos are shorter);
    3. the declared title, ``og:title`` first;
    4. where nothing is declared, the nearest ``h1``.

    Parameters
    ----------
    page
        The page.
    container
        Index of the body's container.
    url
        Address of the page.
    others
        Titles of other pages of the template group.

    Returns
    -------
    title : str or None
        The headline on one line.
    heading : int or None
        Index of the heading that shows it, where one does.
    """
    template = frozenset[str]().union(*(other.headings for other in others))
    headings = _nearest_headings(page, container)
    firsts = [
        (text, index)
        for index, text in headings
        if text and page.tags[index] == "h1" and text not in template
    ]
    declared = declared_titles(page, url, others)
    for text, index in firsts:
        if any(_shared(text, title) >= MIN_SHARED for title in declared):
            return text, index
    for text, index in firsts:
        if words.count_words(text) >= MIN_HEADLINE_WORDS or not declared:
            return text, index
    if not declared:
        return None, None
    same = words.tokens(declared[0])
    shown = (index for index, text in headings if words.tokens(text) == same)
    return declared[0], next(shown, None)


def declared_titles(page: Outline, url: str = "", others: Sequence[Titles] = ()) -> list[str]:
    """Return ``og:title`` and ``title`` without the parts that name the site, none empty."""
    metas = page.metas
    sites = {_squash(metas.get(name, "")) for name in ("og:site_name", "application-name")}
    title = page.title
    for other in others:
        if other.declared != title:
            parts = _parts(other.declared)
            sites.update(_squash(other.declared[start:end]) for start, end in parts)
    host = _squash(urlsplit(url).hostname or "") if url else ""
    found = [_without_site(text, sites, host) for text in (metas.get("og:title", ""), title)]
    if found[1] == title:
        found[1] = max((title[start:end] for start, end in _parts(title)), key=len, default="")
    found[1] = max(_STRONG_SEPARATOR.split(found[1]), key=len)
    return [text for text in found if 0 < len(words.tokens(text)) <= MAX_HEADLINE_TOKENS]


def declared_description(page: Outline) -> str:
    """Return ``og:description``, else the description meant for search engines, else nothing."""
    return page.metas.get("og:description") or page.metas.get("description") or ""


def _nearest_headings(page: Outline, container: int) -> list[tuple[int, str]]:
    headings = [each for each in page.headings if page.size(each[0]) <= MAX_HEADLINE_TOKENS]
    inside = range(container, page.ends[container])
    within = [each for each in headings if each[0] in inside]
    before = [each for each in headings if each[0] < container]
    return [*within, *reversed(before)]


def _shared(text: str, title: str) -> float:
    counts = Counter(words.tokens(text))
    common = counts & Counter(words.tokens(title))
    return common.total() / counts.total() if counts else 0.0


def _squash(text: str) -> str:
    return "".join(words.tokens(text))


def _parts(title: str) -> list[tuple[int, int]]:
    """List the (start, end) of the parts between a title's separators."""
    parts = []
    start = 0
    for separator in _SEPARATOR.finditer(title):
        parts.append((start, separator.start()))
        start = separator.end()
    parts.append((start, len(title)))
    return [(start, end) for start, end in parts if _squash(title[start:end])]


def _without_site(title: str, sites: set[str], host: str) -> str:
    def names_site(part: tuple[int, int]) -> bool:
        name = _squash(title[part[0] : part[1]])
        return name in sites or name in host

    parts = _parts(title)
    while len(parts) > 1 and names_site(parts[-1]):
        parts.pop()
    while len(parts) > 1 and names_site(parts[0]):
        parts.pop(0)
    return title[parts[0][0] : parts[-1][1]] if parts else ""
