"""Page numbers in URLs: ``?page=2``, ``/page/2/``, ``story-2.html``, ``?start=20``."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import word_set

MAX_ADDRESS = 2_000  # maximum length of a URL, in characters
MAX_NAME = 64  # maximum length of a query field's name, in characters
MAX_FIELDS = 40  # maximum number of fields in a query
MAX_UNNAMED = 999  # maximum page number without a word such as "page"; larger ones are article IDs
MAX_DIGITS = 5  # maximum number of digits of a page number or offset
_PAGE_WORDS = (
    "page|pages|pag|pagina|página|pg|p|seite|side|sida|sivu|strona|strana|str|stranica|oldal|"
    "sayfa|trang|halaman|folha|sf|index|start|offset|part|teil|pageno|lehekulg"
)
_NAMED_IN_PATH = re.compile(  # "/story/page/2/", "/story-seite-3.html"
    rf"(?P<before>.*?)(?:^|[/_.,;-])(?:{_PAGE_WORDS})[-_/=,.]?(?P<number>\d{{1,5}})"
    r"(?:\.[a-z]{2,5})?/?",
    re.IGNORECASE,
)
_UNNAMED_IN_PATH = re.compile(  # "/story/2/", "/story_2.html", "/story-2.html"
    r"(?P<before>.*[^/])(?:[_,;/.](?P<number>\d{1,3})(?:\.[a-z]{2,5})?/?"
    # Without a suffix, the number in "name-2" distinguishes articles with the same headline.
    r"|-(?P<number_in_file>\d{1,3})\.[a-z]{2,5})",
    re.IGNORECASE,
)
_NAMED_FIELD = lazy_pattern(  # "page", "start", "pagenumber"
    r"(?:[^0-9]*[^a-z0-9])?(?:p|pg|pn|paged|cp|pno|start|offset|from|first|skip|seite|side|sida|sivu|"
    r"strona|strana|sayfa|trang|halaman|part|teil|startat|startrow|begin)"
    # Possessive quantifiers prevent backtracking.
    r"|(?=[^0-9]*+\Z)(?s:.*?pag(?:e|ina|ing).*+)",
    re.IGNORECASE,
)
_COMMENT_PAGE = re.compile(  # "comments", "comment-page-2"
    r"(?:^|[^a-z])(?:comments?|cpage|replies|reviews?)(?![a-z])", re.IGNORECASE
)
_ALL_VALUES = word_set("all full alles komplett single 0 everything tout todo tudo")  # "?page=all"
_SINGLE_PAGE_PATH = lazy_pattern(  # "/story/all", "/story-komplettansicht"
    r"(?P<before>.*[^/])(?:[/_-](?:all|full|single-?page|viewall|komplettansicht|onepage))"
    r"(?:\.[a-z]{2,5})?/?",
    re.IGNORECASE,
)
_SINGLE_PAGE_FIELD = lazy_pattern(  # "?view=all", "?single=1"
    r"page|view|show|single|full|all|seite|pag|print|display", re.IGNORECASE
)
_IGNORED_FIELD = lazy_pattern(  # session and tracking parameters
    r"s|sid|phpsessid|jsessionid|sessionid|utm_.*|fbclid|gclid|versionfrom|ref|source",
    re.IGNORECASE,
)


class Interpretation(NamedTuple):
    """A way to split a URL into a page number (None if it has none) and the rest.

    `stem` is the host and path without the number; `fields` are the other query fields. `is_named`
    is true if a word identifies the number as a page number, as in ``?page=2``.
    """

    stem: str
    fields: frozenset[tuple[str, str]]
    number: int | None
    is_named: bool


class Relation(NamedTuple):
    """The number in a page's URL if two pages form a series, and whether a word identifies it."""

    own: int | None
    is_named: bool


class Address:
    """An absolute http or https URL, split into host, path and fields unless it is invalid."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.host = self.plain = self._path = ""
        self._fields: frozenset[tuple[str, str]] = frozenset()
        self.is_comment_page = False
        if len(url) > MAX_ADDRESS:
            return
        try:
            parts = urlsplit(url)
            fields = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MAX_FIELDS)
            self.host = (parts.hostname or "").removeprefix("www.")
        except ValueError:
            return
        self._path = parts.path
        self._fields = frozenset(
            (name, value)
            for name, value in fields
            if len(name) <= MAX_NAME and not _IGNORED_FIELD.fullmatch(name)
        )
        # A key that is the same for URLs that differ only in details, such as the order of fields
        self.plain = f"{self.host}{parts.path.rstrip('/')}?{sorted(self._fields)}"
        self.is_comment_page = bool(
            _COMMENT_PAGE.search(parts.path.rstrip("/").rpartition("/")[2])
            or any(_COMMENT_PAGE.search(name) for name, _ in self._fields)
        )

    @cached_property
    def interpretations(self) -> Sequence[Interpretation]:
        """All interpretations of the URL; none if it is invalid."""
        if not self.plain:
            return ()
        host, path, fields = self.host, self._path, self._fields
        interpretations = [Interpretation(host + _without_suffix(path), fields, None, False)]
        named = _NAMED_IN_PATH.fullmatch(path)
        if named:
            stem = host + _without_suffix(named["before"])
            interpretations.append(Interpretation(stem, fields, int(named["number"]), True))
        unnamed = _UNNAMED_IN_PATH.fullmatch(path)
        if unnamed:
            stem = host + _without_suffix(unnamed["before"])
            number = int(unnamed["number"] or unnamed["number_in_file"])
            interpretations.append(Interpretation(stem, fields, number, False))
        for name, value in sorted(self._fields):
            if _is_page_number(name, value):
                is_named = _NAMED_FIELD.fullmatch(name) is not None
                stem = host + _without_suffix(path) + ("" if is_named else f"?{name}")
                other_fields = frozenset(field for field in fields if field[0] != name)
                interpretations.append(Interpretation(stem, other_fields, int(value), is_named))
        return interpretations

    def relation(self, other: "Address") -> Relation | None:
        """Return the relation to another page if the URLs show that both form a series, or None."""
        pairs = product(self.interpretations, other.interpretations)
        return max(
            filter(None, (_relate(own, theirs) for own, theirs in pairs)),
            key=lambda relation: (relation.is_named, relation.own is not None),
            default=None,
        )

    def is_single_page_of(self, own: "Address") -> bool:
        """Return whether this URL leads to a page with all parts of the article at `own`."""
        stems = {interpretation.stem for interpretation in own.interpretations}
        path = _SINGLE_PAGE_PATH.fullmatch(self._path)
        if path and self.host + _without_suffix(path["before"]) in stems:
            return True
        return self.host + _without_suffix(self._path) in stems and any(
            _SINGLE_PAGE_FIELD.search(name) and (value.lower() in _ALL_VALUES or value == "1")
            for name, value in self._fields - own._fields
        )


def _is_page_number(name: str, value: str) -> bool:
    """Return whether a query field may be a page number; ``?p=5031`` is an article in WordPress."""
    if not (value.isascii() and value.isdecimal() and len(value) <= MAX_DIGITS):
        return False
    is_article = name.lower() == "p" and int(value) > MAX_UNNAMED
    return not is_article and not any(character.isdigit() for character in name)


def _relate(own: Interpretation, theirs: Interpretation) -> Relation | None:
    """Return the relation of a page to another if their URLs differ only in the page number."""
    numbers = [each.number for each in (own, theirs) if each.number is not None]
    is_named = own.is_named or theirs.is_named
    if len(numbers) == 1:
        # The first page usually has no number, and all its fields occur on later pages.
        first, later = (own, theirs) if own.number is None else (theirs, own)
        is_same = first.stem == later.stem.partition("?")[0] and first.fields <= later.fields
    else:
        is_same = own.stem == theirs.stem and own.is_named == theirs.is_named
        is_same &= own.fields <= theirs.fields or theirs.fields <= own.fields
    if not is_named:
        is_same &= own.fields == theirs.fields and max(numbers, default=0) <= MAX_UNNAMED
    return Relation(own.number, is_named) if numbers and is_same else None


def _without_suffix(path: str) -> str:
    """Return a path without its suffix, as some sites use one only for later pages."""
    head, slash, last = path.rstrip("/").rpartition("/")
    name, _, suffix = last.rpartition(".")
    if name and len(suffix) <= 5 and suffix.isalpha():
        last = name
    return head if last.lower() in {"index", "default"} else head + slash + last
