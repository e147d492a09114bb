"""The headline of an article."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from worker.article.outline import Outline
from worker.text import words
from worker.text.texts import count_words

MIN_SHARED = 0.5
"""Share of a heading's words that the page's declared title must hold for it to be the headline."""

MIN_HEADLINE_WORDS = 5
"""Words of an ``h1`` from which it is the headline whatever the page declares.

Headlines found, of 944 on the development pages: 836 with it, six fewer without; 3 to 8 words
give the same.
"""

MIN_WORDS_OF_SECOND_LEVEL = 3
"""Words of an ``h2`` from which it may be the headline: a shorter one may name a section."""

MAX_HEADLINE_TOKENS = 100
"""A longer heading, or a longer title, is no headline: an element was left open."""

MAX_PARTS = 12
"""Parts of a title from which on it is not looked which of them the page shows."""

# No headline holds these; the others may stand in one, and part it from a site's name only.
_STRONG_SEPARATOR = re.compile(r"(?:(?<!\s)\s+)?+(?:[|｜]|::|//)\s*|(?<=\S)_(?=\S)|(?<!\s)\s++_")
_AFFIX_SEPARATOR = re.compile(
    _STRONG_SEPARATOR.pattern + r"|(?<!\s)\s++[-–—·•»«>/]+\s+|(?:(?<!\s)\s+)?+--+\s*"
    r"|(?<=[^\W\d_a-zA-Z])-(?=[^\W\d_a-zA-Z])"
)
_SEPARATOR = re.compile(_AFFIX_SEPARATOR.pattern + r"|(?:(?<!\s)\s+)?+:\s+")


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

    1. the ``h1`` or ``h2`` nearest the body that is a declared title word for word: those
       within the body first, then those before it, nearest first;
    2. the nearest ``h1`` that shares half of its words with a declared title;
    3. the nearest ``h1`` that is a phrase (section names and logos are shorter);
    4. the declared title, ``og:title`` first;
    5. where nothing is declared, the nearest ``h1``.

    Parts that name the site, or what is no part of a declared title, are cut off the heading,
    too, where a separator stands between.

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
    sites, declared = _declared_on(page, url, others)
    spelled = {tuple(words.tokens(title)) for title in declared}
    for index, text in headings:
        said = tuple(words.tokens(text))
        is_named = page.tags[index] == "h1" or len(said) >= MIN_WORDS_OF_SECOND_LEVEL
        if is_named and page.tags[index] != "h3" and text not in template and said in spelled:
            return text, index
    for text, index in firsts:
        if any(_shared(text, title) >= MIN_SHARED for title in declared):
            return _cut(page, index, declared, sites), index
    for text, index in firsts:
        if count_words(text) >= MIN_HEADLINE_WORDS or not declared:
            return _cut(page, index, declared, sites), index
    if not declared:
        return None, None
    same = words.tokens(declared[0])
    shown = (index for index, text in headings if words.tokens(text) == same)
    return declared[0], next(shown, None)


def declared_titles(page: Outline, url: str = "", others: Sequence[Titles] = ()) -> list[str]:
    """Return ``og:title`` and ``title`` without the parts that name the site, none empty."""
    return _declared_on(page, url, others)[1]


@dataclass(frozen=True)
class _Sites:
    """What names the site in a title: squashed names, and the name of the host."""

    names: frozenset[str]
    host: str

    @classmethod
    def of(cls, page: Outline, url: str, others: Sequence[Titles]) -> Self:
        names = {_squash(page.metas.get(name, "")) for name in ("og:site_name", "application-name")}
        for other in others:
            if other.declared != page.title:
                parts = _parts(other.declared)
                names.update(_squash(other.declared[start:end]) for start, end in parts)
        return cls(frozenset(names), _squash(urlsplit(url).hostname or "") if url else "")

    def name(self, text: str) -> bool:
        squashed = _squash(text)
        return squashed in self.names or squashed in self.host


def _declared_on(page: Outline, url: str, others: Sequence[Titles]) -> tuple[_Sites, list[str]]:
    """Return what names the site of a page, and its titles, worked out once."""
    key = (_declared_on, url, *others)
    if key not in page.worked_out:
        sites = _Sites.of(page, url, others)
        page.worked_out[key] = sites, _declared(page, sites)
    found: tuple[_Sites, list[str]] = page.worked_out[key]
    return found


def _declared(page: Outline, sites: _Sites) -> list[str]:
    whole = page.title
    title = _without_site(whole, sites)
    if title == whole:
        title = _shown_part(page, whole) or max(_single_parts(whole), key=len, default="")
    title = max(_STRONG_SEPARATOR.split(title), key=len)
    found = (_without_site(page.metas.get("og:title", ""), sites), title)
    return [text for text in found if 0 < len(words.tokens(text)) <= MAX_HEADLINE_TOKENS]


def _shown_part(page: Outline, title: str) -> str | None:
    """Return the longest stretch of a title's parts that is a line of the page, and no link.

    One that is half as long as some part of the title names a button or a section.
    """
    parts = _parts(title)
    if not 1 < len(parts) <= MAX_PARTS:
        return None
    least = max(end - start for start, end in parts) / 2
    stretches = {
        _squash(stretch): stretch for stretch in _stretches(title, parts) if len(stretch) > least
    }
    shown = (
        _squash(text)
        for nodes in page.lines
        if page.links[nodes[0].parent] < 0
        and least < len(text := "".join(node.text for node in nodes)) <= 2 * len(title)
    )
    found = max((each for each in shown if each in stretches), key=len, default=None)
    return stretches[found] if found is not None else None


def _cut(page: Outline, index: int, declared: Sequence[str], sites: _Sites) -> str:
    """Return a heading without what no title declares, or without the parts that name the site.

    A kicker, a date or a tag may stand in an element of its own within the heading.
    """
    heading = page.text_of(index)
    spelled = {_squash(title) for title in declared}
    nodes = page.texts[page.text_starts[index] : page.text_ends[index]]
    if _squash(heading) not in spelled and 1 < len(nodes) <= MAX_PARTS:
        for place in range(len(nodes)):
            for end in range(place + 1, len(nodes) + 1):
                text = words.clean("".join(node.text for node in nodes[place:end]))
                if _squash(text) in spelled:
                    return text
    parts = _parts(heading, _AFFIX_SEPARATOR)
    if 1 < len(parts) <= MAX_PARTS:
        for stretch in _stretches(heading, parts):
            if _squash(stretch) in spelled:
                return stretch
    return _without_site(heading, sites)


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


def _parts(title: str, separators: re.Pattern[str] = _SEPARATOR) -> list[tuple[int, int]]:
    """List the (start, end) of the parts between a title's separators."""
    parts = []
    start = 0
    for separator in separators.finditer(title):
        parts.append((start, separator.start()))
        start = separator.end()
    parts.append((start, len(title)))
    return [(start, end) for start, end in parts if _squash(title[start:end])]


def _stretches(title: str, parts: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield what stands from one part of a title to the same or a later one."""
    for place, (start, _) in enumerate(parts):
        for _, end in parts[place:]:
            yield title[start:end]


def _single_parts(title: str) -> list[str]:
    return [title[start:end] for start, end in _parts(title)]


def _without_site(title: str, sites: _Sites) -> str:
    parts = _parts(title)
    while len(parts) > 1 and sites.name(title[slice(*parts[-1])]):
        parts.pop()
    while len(parts) > 1 and sites.name(title[slice(*parts[0])]):
        parts.pop(0)
    return title[parts[0][0] : parts[-1][1]] if parts else ""
