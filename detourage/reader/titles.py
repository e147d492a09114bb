"""Identification of an article's headline."""

import html
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from detourage.html.addresses import split_url
from detourage.reader.outline import Outline
from detourage.text import words
from detourage.text.texts import count_words
from detourage.text.words import squash

MIN_SHARED = 0.5  # share of the words of a heading in a declared title for it to be the headline
MIN_HEADLINE_WORDS = 5  # words in an ``h1`` that is the headline regardless of the declared titles
MIN_H2_WORDS = 3  # words in an ``h2`` headline; a shorter text may be a section name
MAX_HEADLINE_TOKENS = 100  # tokens in a headline; longer headings result from unclosed elements
MAX_PARTS = 12  # parts of a title, or text nodes of a heading, that are compared with names

# Unlike the other separators, these never occur in headlines.
_STRONG_SEPARATOR = re.compile(
    r"(?:(?<!\s)\s+)?+(?:[|｜]|::|//)\s*|(?<!\s)\s++_"
    # A letter of a script without capitals; the class is written in the form that compiles fastest.
    r"|(?<=[^\W\x00-\u2fff])_(?=\S)|(?<=\S)_(?=[^\W\x00-\u2fff])"
)
_SEPARATOR = re.compile(
    _STRONG_SEPARATOR.pattern + r"|(?<!\s)\s++[-–—·•»«>/]+\s+|(?:(?<!\s)\s+)?+--+\s*"
    r"|(?<=[^\W\d_a-zA-Z])-(?=[^\W\d_a-zA-Z])"
)


@dataclass(frozen=True)
class Titles:
    """The ``title`` and ``h1`` texts of a page, for comparison with other pages of its template."""

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
    """Find the headline, on one line, and the index of the heading that displays it, if any.

    The declared titles are ``og:title`` and ``title`` without parts at either end that name the
    site: ``og:site_name``, the host name, or a part of the title of another page of the template
    (`others`). A ``title`` without any such part is reduced to its longest part. The headline is
    the first of these, ignoring links to the home page and an ``h1`` of another page:

    1. the heading (``h1`` or ``h2``) nearest to the body that equals a declared title;
    2. the nearest ``h1`` that shares half of its words with a declared title;
    3. the nearest ``h1`` that is a phrase (section names and logos are shorter);
    4. the first declared title;
    5. if no title is declared, the nearest ``h1``.

    Headings within the `container` of the body are nearest, then those before it. Parts of an
    ``h1`` that name the site or are in no declared title are removed.
    """
    key = (headline, container, url, *others)
    return page.cached(key, lambda: _headline(page, container, url, others))


def _headline(
    page: Outline, container: int, url: str, others: Sequence[Titles]
) -> tuple[str | None, int | None]:
    sites, declared = _declared_on(page, url, others)
    template = frozenset[str]().union(*(other.headings for other in others))
    short = [
        each
        for each in page.headings
        if each[0] not in sites.logos and page.size(each[0]) <= MAX_HEADLINE_TOKENS
    ]
    within = [each for each in short if container <= each[0] < page.ends[container]]
    headings = [*within, *reversed([each for each in short if each[0] < container])]
    first_level = [
        (text, index)
        for index, text in headings
        if text and page.tags[index] == "h1" and text not in template
    ]
    spelled = {squash(title): title for title in reversed(declared)}
    for index, text in headings:
        tokens = words.tokens(text)
        same = spelled.get("".join(tokens))
        tag = page.tags[index]
        may_be_headline = tag == "h1" or (tag == "h2" and len(tokens) >= MIN_H2_WORDS)
        if may_be_headline and text not in template and same is not None:
            # Elements displayed on lines of their own may have no spaces between them.
            spaced = text if tokens == words.tokens(same) else same
            return spaced, index
    title_counts = [Counter(words.tokens(title)) for title in declared]
    for text, index in first_level:
        counts = Counter(words.tokens(text))
        common = max(((counts & each).total() for each in title_counts), default=0)
        if common and common >= MIN_SHARED * counts.total():
            return _cut(page, index, declared, sites), index
    for text, index in first_level:
        if count_words(text) >= MIN_HEADLINE_WORDS or not declared:
            return _cut(page, index, declared, sites), index
    if not declared:
        return None, None
    first = words.tokens(declared[0])
    shown = (index for index, text in headings if words.tokens(text) == first)
    return declared[0], next(shown, None)


def declared_titles(page: Outline, url: str = "") -> list[str]:
    """Return ``og:title`` and ``title`` without the parts that name the site, omitting blanks."""
    return _declared_on(page, url, ())[1]


def names_site(page: Outline, title: str, url: str = "") -> bool:
    """Return whether a title is only a name of the page's site."""
    return _declared_on(page, url, ())[0].has_name(title)


@dataclass(frozen=True)
class _Sites:
    """Names and host of the site, squashed, and the headings that link to its home page."""

    names: frozenset[str]
    host: str
    logos: frozenset[int]

    @classmethod
    def of(cls, page: Outline, url: str, others: Sequence[Titles]) -> Self:
        logos = {index: text for index, text in page.headings if _is_logo(page, index)}
        names = {*map(squash, logos.values())}
        names |= {squash(page.metas.get(name, "")) for name in ("og:site_name", "application-name")}
        for other in others:
            if other.declared != page.title:
                parts = _parts(other.declared)
                names.update(squash(other.declared[start:end]) for start, end in parts)
        host = squash(split_url(url).hostname or "") if url else ""
        return cls(frozenset(names), host, frozenset(logos))

    def has_name(self, text: str) -> bool:
        squashed = squash(text)
        return squashed in self.names or squashed in self.host

    def begins_with_name(self, text: str) -> bool:
        """Return whether a text begins with a name of the site."""
        return squash(text).startswith(tuple(name for name in self.names if len(name) > 4))


def _declared_on(page: Outline, url: str, others: Sequence[Titles]) -> tuple[_Sites, list[str]]:
    """Return the site's names and the page's declared titles, cached with the page."""

    def compute() -> tuple[_Sites, list[str]]:
        sites = _Sites.of(page, url, others)
        return sites, _declared(page, sites)

    return page.cached((_declared_on, url, *others), compute)


def _declared(page: Outline, sites: _Sites) -> list[str]:
    whole = html.unescape(page.title)
    title = _without_site(whole, sites)
    if title == whole:
        parts = (whole[start:end] for start, end in _parts(whole))
        title = max(parts, key=len, default="")
    title = max(_STRONG_SEPARATOR.split(title), key=len)
    found = (_without_site(html.unescape(page.metas.get("og:title", "")), sites), title)
    return [text for text in found if 0 < len(words.tokens(text)) <= MAX_HEADLINE_TOKENS]


def _cut(page: Outline, index: int, declared: Sequence[str], sites: _Sites) -> str:
    """Return a heading without parts that name the site, or that no declared title contains."""
    heading = page.text_of(index)
    spelled = {squash(title) for title in declared}
    nodes = page.texts[page.text_starts[index] : page.text_ends[index]]
    if squash(heading) not in spelled and 1 < len(nodes) <= MAX_PARTS:
        for place in range(len(nodes)):
            for end in range(place + 1, len(nodes) + 1):
                text = words.clean("".join(node.text for node in nodes[place:end]))
                if squash(text) in spelled:
                    return text
    return _without_site(heading, sites)


def _parts(title: str) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of the parts between a title's separators."""
    parts = []
    start = 0
    for separator in _SEPARATOR.finditer(title):
        parts.append((start, separator.start()))
        start = separator.end()
    parts.append((start, len(title)))
    return [(start, end) for start, end in parts if squash(title[start:end])]


def _without_site(title: str, sites: _Sites) -> str:
    parts = _parts(title)
    for first in range(max(1, len(parts) - MAX_PARTS), len(parts)):
        if sites.has_name(title[parts[first][0] : parts[-1][1]]):
            parts = parts[:first]
            break
    while len(parts) > 1 and sites.has_name(title[slice(*parts[-1])]):
        parts.pop()
    while len(parts) > 1 and sites.has_name(title[slice(*parts[0])]):
        parts.pop(0)
    if len(parts) > 1 and sites.begins_with_name(title[slice(*parts[-1])]):
        parts.pop()
    text = title[parts[0][0] : parts[-1][1]] if parts else ""
    name, _, rest = text.partition(": ")
    return rest.strip() if rest.strip() and sites.has_name(name) else text


def _is_logo(page: Outline, index: int) -> bool:
    """Return whether a heading is a link to the site's home page."""
    start, end = page.text_starts[index], page.text_ends[index]
    links = {page.links[node.parent] for node in page.texts[start:end] if node.text.strip()}
    if len(links) != 1 or -1 in links:
        return False
    address = page.node(links.pop()).get("href")
    parts = split_url(address.strip()) if address is not None and len(address) < 200 else None
    return parts is not None and parts.path in ("", "/") and not (parts.query or parts.fragment)
