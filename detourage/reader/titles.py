"""Identification of an article's headline."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple, Self

from detourage.html.urls import split_url
from detourage.html.visible_text import unescape
from detourage.reader.outline import Outline
from detourage.text import words
from detourage.text.token_counts import count_words
from detourage.text.words import squash

MIN_SHARED = 0.5  # share of a headline's words that also occur in a declared title
MIN_HEADLINE_WORDS = 5  # words in an ``h1`` that is the headline regardless of the declared titles
MIN_H2_WORDS = 3  # words in an ``h2`` headline; a shorter text may be a section name
MAX_HEADLINE_TOKENS = 100  # tokens in a headline; longer headings result from unclosed elements
MAX_PARTS = 12  # parts of a title, or text nodes of a heading, compared with the site's names
MIN_PREFIX_CHARACTERS = 5  # characters of a site's name that is cut off the start of a part

# Separators that never occur in headlines, unlike `_WEAK` ones: "|", "::", "//", " _".
_STRONG = r"(?:(?<!\s)\s+)?+(?:[|｜]|::|//)\s*|(?<!\s)\s++_"
# Underscores next to a letter of a script without capitals (the class that compiles fastest).
_STRONG_UNDERSCORES = r"|(?<=[^\W\x00-\u2fff])_(?=\S)|(?<=\S)_(?=[^\W\x00-\u2fff])"
# Dashes, bullets, angle quotes and slashes between spaces: "Headline – The Gazette".
_WEAK = (
    r"|(?<!\s)\s++[-–—·•»«›‹>~/]+\s+|(?:(?<!\s)\s+)?+--+\s*|(?<=[^\W\d_a-zA-Z])-(?=[^\W\d_a-zA-Z])"
)


@cache
def _separator(*, is_strong: bool, has_underscores: bool) -> re.Pattern[str]:
    """Return the pattern of separators, compiled without parts that few titles need."""
    underscores, weak = _STRONG_UNDERSCORES * has_underscores, "" if is_strong else _WEAK
    # A lookahead for the first character is faster than trying every alternative.
    return re.compile(rf"(?=[\s|｜:/_-])(?:{_STRONG}{underscores}{weak})")


class Titles(NamedTuple):
    """The ``title`` and ``h1`` texts of a page, for comparison with other pages of its template."""

    declared: str
    headings: frozenset[str]

    @classmethod
    def of(cls, page: Outline) -> Self:
        """Read the titles of a page."""
        headings = frozenset(
            page.text_of(index)
            for index in page.headings
            if page.tags[index] == "h1" and page.size(index) <= MAX_HEADLINE_TOKENS
        )
        return cls(page.title, headings)


def headline(
    page: Outline, container: int, url: str = "", others: Sequence[Titles] = ()
) -> tuple[str | None, int | None]:
    """Find the headline, on one line, and the index of the heading that displays it, if any.

    The declared titles are ``og:title`` and ``title`` without the names of the site at either end:
    ``og:site_name``, the host name, and parts of the titles of `others`, pages of its template. A
    ``title`` without such a name is reduced to its first part if that alone is a heading, or else
    to its longest part. The headline is the first of:

    1. the heading (``h1`` or ``h2``) nearest to the body that equals a declared title;
    2. the nearest ``h1`` that shares half of its words with a declared title;
    3. the nearest ``h1`` with `MIN_HEADLINE_WORDS` (section names and logos are shorter);
    4. the first declared title;
    5. if no title is declared, the nearest ``h1``.

    Headings that link to the home page, or that are an ``h1`` of one of the `others`, are ignored.
    Headings in the body's `container` count as nearer than those before the container. Parts of an
    ``h1`` that name the site or are in no declared title are removed.
    """
    key = (headline, container, url, *others)
    return page.cached(key, lambda: _headline(page, container, url, others))


def _headline(
    page: Outline, container: int, url: str, others: Sequence[Titles]
) -> tuple[str | None, int | None]:
    site, declared = site_and_titles(page, url, others)
    template = frozenset[str]().union(*(other.headings for other in others))
    headings = [
        index
        for index in page.headings
        if index not in site.logos and page.size(index) <= MAX_HEADLINE_TOKENS
    ]
    within = [each for each in headings if container <= each < page.ends[container]]
    nearest = [*within, *reversed([each for each in headings if each < container])]
    h1_texts = ((page.text_of(each), each) for each in nearest if page.tags[each] == "h1")
    first_level = [(text, each) for text, each in h1_texts if text and text not in template]
    by_squashed = {squash(title): title for title in reversed(declared)}
    for index in nearest:
        text = page.text_of(index)
        tokens = words.tokens(text)
        same_title = by_squashed.get("".join(tokens))
        tag = page.tags[index]
        may_be_headline = tag == "h1" or (tag == "h2" and len(tokens) >= MIN_H2_WORDS)
        if may_be_headline and text not in template and same_title is not None:
            # Elements displayed on separate lines may have no spaces between them.
            spaced = text if tokens == words.tokens(same_title) else same_title
            return spaced, index
    title_counts = [Counter(words.tokens(title)) for title in declared]
    for text, index in first_level:
        counts = Counter(words.tokens(text))
        shared = max(((counts & each).total() for each in title_counts), default=0)
        if shared and shared >= MIN_SHARED * counts.total():
            return _cut(page, index, declared, site), index
    for text, index in first_level:
        if count_words(text) >= MIN_HEADLINE_WORDS or not declared:
            return _cut(page, index, declared, site), index
    if not declared:
        return None, None
    first_title = words.tokens(declared[0])
    displays = (each for each in nearest if words.tokens(page.text_of(each)) == first_title)
    return declared[0], next(displays, None)


class _Site(NamedTuple):
    """A site's names and host (see `squash`), and the headings that link to its home page."""

    names: frozenset[str]
    host: str
    logos: frozenset[int]

    @classmethod
    def of(cls, page: Outline, url: str, others: Sequence[Titles]) -> Self:
        logos = [index for index in page.headings if _is_logo(page, index)]
        names = {squash(page.text_of(index)) for index in logos}
        names |= {squash(page.metas.get(name, "")) for name in ("og:site_name", "application-name")}
        for other in others:
            if other.declared != page.title:
                parts = _parts(other.declared)
                names.update(squash(other.declared[start:end]) for start, end in parts)
        host = squash(split_url(url).hostname or "") if url else ""
        return cls(frozenset(names), host, frozenset(logos))

    def has_name(self, text: str) -> bool:
        """Return whether a text is a name of the site or part of its host name."""
        squashed = squash(text)
        return squashed in self.names or squashed in self.host


def site_and_titles(
    page: Outline, url: str, others: Sequence[Titles] = ()
) -> tuple[_Site, list[str]]:
    """Return the page's site and declared titles without the site's names, computed once."""

    def compute() -> tuple[_Site, list[str]]:
        site = _Site.of(page, url, others)
        return site, _declared(page, site)

    return page.cached((site_and_titles, url, *others), compute)


def _declared(page: Outline, site: _Site) -> list[str]:
    """Return the declared titles without names of the site; see `headline` for the rules."""
    whole = unescape(page.title)
    title = _without_site(whole, site)
    if title == whole:
        parts = [whole[start:end] for start, end in _parts(whole)]
        title = max(parts, key=len, default="")
        if len(parts) > 1:
            shown = {squash(page.text_of(each)) for each in page.headings if each not in site.logos}
            shown_parts = [part for part in parts if squash(part) in shown]
            # The name of the site may be longer than the headline: "Fire - The Harbour Post".
            if shown_parts == parts[:1]:
                title = parts[0]
    separator = _separator(is_strong=True, has_underscores="_" in title)
    title = max(separator.split(title), key=len)
    both = (_without_site(unescape(page.metas.get("og:title", "")), site), title)
    return [text for text in both if 0 < len(words.tokens(text)) <= MAX_HEADLINE_TOKENS]


def _cut(page: Outline, index: int, declared: Sequence[str], site: _Site) -> str:
    """Return the part of a heading that equals a declared title, or else all but the site's name.

    A kicker or a date may be part of the heading: ``<h1><span>Politics</span> Headline</h1>``.
    """
    heading = page.text_of(index)
    squashed_titles = {squash(title) for title in declared}
    texts = page.flat.texts[page.text_starts[index] : page.text_ends[index]]
    if squash(heading) not in squashed_titles and 1 < len(texts) <= MAX_PARTS:
        for start, end in combinations(range(len(texts) + 1), 2):
            text = words.clean("".join(texts[start:end]))
            if squash(text) in squashed_titles:
                return text
    return _without_site(heading, site)


def _parts(title: str) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of the parts between a title's separators."""
    parts = []
    start = 0
    pattern = _separator(is_strong=False, has_underscores="_" in title)
    for separator in pattern.finditer(title):
        parts.append((start, separator.start()))
        start = separator.end()
    parts.append((start, len(title)))
    return [(start, end) for start, end in parts if squash(title[start:end])]


def _without_site(title: str, site: _Site) -> str:
    """Remove the site's names from the ends of a title: "The Gazette: Headline | Mill Gazette"."""
    parts = _parts(title)
    # The name itself may contain separators.
    for first in range(max(1, len(parts) - MAX_PARTS), len(parts)):
        if site.has_name(title[parts[first][0] : parts[-1][1]]):
            parts = parts[:first]
            break
    while len(parts) > 1 and site.has_name(title[slice(*parts[-1])]):
        parts.pop()
    while len(parts) > 1 and site.has_name(title[slice(*parts[0])]):
        parts.pop(0)
    if len(parts) > 1:
        prefixes = tuple(name for name in site.names if len(name) >= MIN_PREFIX_CHARACTERS)
        if squash(title[slice(*parts[-1])]).startswith(prefixes):
            parts.pop()
    text = title[parts[0][0] : parts[-1][1]] if parts else ""
    name, _, rest = text.partition(": ")
    if rest.strip() and site.has_name(name):
        return rest.strip()
    rest, _, name = text.rpartition(" : ")
    return rest if rest.strip() and name and site.has_name(name) else text


def _is_logo(page: Outline, index: int) -> bool:
    """Return whether all text of a heading is in one link, which leads to the site's home page."""
    parents = page.text_parents[page.text_starts[index] : page.text_ends[index]]
    links = {*page.link_numbers[parents].tolist()}
    if len(links) != 1 or -1 in links:
        return False
    url = page.node(links.pop()).get("href")
    parts = split_url(url.strip()) if url is not None and len(url) < 200 else None
    return parts is not None and parts.path in ("", "/") and not (parts.query or parts.fragment)
