"""Detection of comment threads hosted by other services.

All information is read from the page; nothing is fetched. A page may load a service's script or
display a comment count without having a thread, so an element that displays the thread is required.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import numpy as np

from detourage.comments.vendors import VENDORS, Vendor
from detourage.html import Page
from detourage.html.addresses import absolute, base_of
from detourage.html.flat import FlatDocument
from detourage.html.nodes import Node
from detourage.text.words import clean

MAX_CHARACTERS = 2_000_000
"""Maximum number of characters read from a page's scripts."""

MAX_VALUE = 500
"""Maximum length of an ID or a URL, in characters."""

MAX_TRIES = 20
"""Maximum number of occurrences of a name examined in a script."""

_SELECTOR = re.compile(
    r"(?P<tag>[\w:-]*)(?:#(?P<id>[\w-]+)(?P<begins>\^)?|\.(?P<word>[\w-]+))?"
    r"(?:\[(?P<name>[\w:-]+)(?:(?P<how>\*?=)(?P<value>[^\]]+))?\])?"
)
_VALUE = re.compile(
    r"[\"']?\s{0,20}[:=]\s{0,20}(?:\"([^\"\n]{1,500})\"|'([^'\n]{1,500})'|(\d{1,20})(?![\w.]))"
)
_NAME_BEFORE = re.compile(r"[\w$-]")
_QUOTES = "\"'`"
_PLACEHOLDERS = frozenset(["pathname", "url", "title", "og:title", "page.path", "PAGE_IDENTIFIER"])
"""Values that are not IDs: expressions that compute an ID, and leftover examples."""

_LOADING = ("script", "iframe", "link")


@dataclass(frozen=True)
class CommentsElsewhere:
    """A comment thread hosted by another service; values that the page does not state are None.

    `vendor` is a name in `detourage.comments.vendors.VENDORS`, and `account` is the site's account
    there. `thread` is the service's key for the thread: an ID, or the URL that is commented on.
    `address` is the absolute HTTP or HTTPS URL of the service, its frame or its script.
    """

    vendor: str
    account: str | None = None
    thread: str | None = None
    address: str | None = None


def find_elsewhere(page: Page, *, shows_comments: bool = False) -> tuple[CommentsElsewhere, ...]:
    """Find the page's comment threads hosted by other services, at most one per service.

    If `shows_comments` is set, the site's own API is omitted, because its comments are the ones
    already on the page.
    """
    sources = _Sources(page)
    found = (
        _thread_of(vendor, sources)
        for vendor in VENDORS
        if not (shows_comments and vendor.is_of_site)
    )
    return tuple(thread for thread in found if thread is not None)


class _Selector(NamedTuple):
    tag: str
    id: str
    begins: bool
    word: str
    name: str
    how: str
    value: str

    @classmethod
    def of(cls, text: str) -> "_Selector":
        found = _SELECTOR.fullmatch(text)
        if found is None:
            raise ValueError(f"invalid selector: {text}")
        parts = {name: value or "" for name, value in found.groupdict().items()}
        return cls(
            tag=parts["tag"],
            id=parts["id"],
            begins=bool(parts["begins"]),
            word=parts["word"],
            name=parts["name"],
            how=parts["how"],
            value=parts["value"],
        )


_MARKS = {vendor.name: [*map(_Selector.of, vendor.marks.split())] for vendor in VENDORS}

_CLASS_NAMES = frozenset(mark.word for marks in _MARKS.values() for mark in marks if mark.word)


def _thread_of(vendor: Vendor, sources: "_Sources") -> CommentsElsewhere | None:
    marks = _MARKS[vendor.name]
    mark, marked = next(((m, node) for m in marks for node in sources.marked(m)), (None, None))
    if marked is None and not any(map(sources.calls, vendor.calls.split())):
        return None
    account = sources.value(vendor, vendor.account, marked)
    thread = sources.value(vendor, vendor.thread, marked)
    if thread is None and mark is not None and mark.begins and marked is not None:
        thread = _value((marked.get("id") or "").strip().removeprefix(mark.id))
    address = absolute(sources.value(vendor, vendor.service, marked), sources.base)
    for located in sources.addresses(vendor):
        found = vendor.in_address.search(located) if vendor.in_address else None
        parts = found.groupdict() if found else {}
        account = account or parts.get("account") or parts.get("account2")
        thread = thread or parts.get("thread") or _requested_thread(located)
        if address is None:
            address = found.expand(vendor.rewritten) if found and vendor.rewritten else located
    if vendor.rewritten is not None and thread is None:
        return None
    return CommentsElsewhere(vendor.name, account, thread, address)


_THREAD_PARAMETERS = ("t_i", "t_u", "href")


def _requested_thread(address: str) -> str | None:
    """Return the thread named in the query of a frame's URL."""
    try:
        asked = parse_qs(urlsplit(address).query, max_num_fields=50)
    except ValueError:
        return None
    return next((_value(asked[name][0]) for name in _THREAD_PARAMETERS if name in asked), None)


class _Sources:
    """The parts of a page that may identify a thread, each collected when first used."""

    def __init__(self, page: Page) -> None:
        self.flat: FlatDocument = page.flat
        self.url = page.url

    @cached_property
    def base(self) -> str:
        return base_of(Node(self.flat, 0), self.url)

    def marked(self, mark: _Selector) -> Iterator[Node]:
        """Yield the elements that match a selector."""
        flat = self.flat
        if mark.name and not (mark.id or mark.word):
            owners, values = flat.attributes.named(mark.name)
            places = [
                place
                for place, value in zip(owners.tolist(), values, strict=True)
                if _fits(value, mark)
            ]
        elif mark.id or mark.word:
            places = self._named(mark)
        else:
            places = self._having(mark.tag)
        for place in places:
            node = Node(flat, place)
            if (not mark.tag or node.tag == mark.tag) and _fits(node.get(mark.name), mark):
                yield node

    def _having(self, *tags: str) -> list[int]:
        # Most tags in the table of services do not occur on a given page.
        if not any(tag in self.flat.distinct_tags for tag in tags):
            return []
        return np.flatnonzero(self.flat.having(tags)).tolist()

    def _named(self, mark: _Selector) -> list[int]:
        words = self._words if mark.word else self._ids
        if mark.begins:
            begun = [found for name, found in words.items() if name.startswith(mark.id)]
            pairs = [pair for found in begun for pair in found]
        else:
            pairs = words.get(mark.word or mark.id, [])
        if not pairs:
            return []
        return np.flatnonzero(np.isin(self.flat.name_numbers, pairs)).tolist()

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        """Indices of the (class, ID) pairs that contain each class name used by a service."""
        found: dict[str, list[int]] = {}
        for pair, (words, _) in enumerate(self.flat.distinct_names):
            for word in _CLASS_NAMES.intersection(words.split()):
                found.setdefault(word, []).append(pair)
        return found

    @cached_property
    def _ids(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for pair, (_, name) in enumerate(self.flat.distinct_names):
            found.setdefault(name.strip(), []).append(pair)
        return found

    def calls(self, part: str) -> bool:
        """Return whether any script contains a text."""
        return any(part in program for program in self.programs)

    @cached_property
    def programs(self) -> list[str]:
        """Source texts of the page's scripts."""
        flat, left, found = self.flat, MAX_CHARACTERS, []
        for place in self._having("script"):
            text = Node(flat, place).text
            if text:
                found.append(text[:left])
                left -= len(text)
                if left <= 0:
                    break
        return found

    @cached_property
    def _folded(self) -> list[str]:
        return [program.lower() for program in self.programs]

    @cached_property
    def _loaded(self) -> list[str]:
        """URLs that the page loads or links to in its head."""
        found = []
        for place in self._having(*_LOADING):
            attributes = self.flat.attributes.of(place)
            for name in ("src", "data-src", "href"):
                value = attributes.get(name)
                if value and len(value) <= MAX_VALUE:
                    found.append(value)
        return found

    def addresses(self, vendor: Vendor) -> Iterator[str]:
        """Yield the absolute URLs of a service that occur on the page."""
        for part in vendor.located.split():
            quoted = (_quoted(program, part) for program in self.programs)
            for found in (*(each for each in self._loaded if part in each), *quoted):
                address = absolute(found, self.base) if found else None
                if address is not None:
                    yield address

    @cached_property
    def _metas(self) -> dict[str, str]:
        metas: dict[str, str] = {}
        for place in self._having("meta"):
            attributes = self.flat.attributes.of(place)
            name = attributes.get("property") or attributes.get("name") or ""
            metas.setdefault(name.strip(), attributes.get("content", ""))
        return metas

    def value(self, vendor: Vendor, names: str, marked: Node | None) -> str | None:
        """Return the first usable value among those of several names, in order, or None."""
        for name in names.split():
            for value in self._values(vendor, name, marked):
                usable = _value(value)
                if usable is not None:
                    return usable
        return None

    def _values(self, vendor: Vendor, name: str, marked: Node | None) -> Iterator[str | None]:
        if marked is not None:
            yield marked.get(name)
        if vendor.word in name.lower() and name in self.flat.attributes.distinct:
            yield from self.flat.attributes.named(name)[1][:1]
        yield self._metas.get(name)
        for program, folded in zip(self.programs, self._folded, strict=True):
            start = folded.find(vendor.word)
            if start >= 0:
                yield _assigned(program, name, max(start - MAX_VALUE, 0))


def _fits(value: str | None, mark: _Selector) -> bool:
    """Return whether an attribute's value matches a selector."""
    if not mark.name:
        return True
    if value is None or not mark.how:
        return value is not None
    return mark.value in value if mark.how == "*=" else value.strip() == mark.value


def _assigned(program: str, name: str, start: int) -> str | None:
    """Return the string or number that a script assigns to a name."""
    for _ in range(MAX_TRIES):
        place = program.find(name, start)
        if place < 0:
            return None
        start = place + len(name)
        if place == 0 or not _NAME_BEFORE.match(program[place - 1]):
            found = _VALUE.match(program, start)
            if found:
                return (found[1] or found[2] or found[3]).replace("\\/", "/")
    return None


def _quoted(program: str, part: str) -> str | None:
    """Return the first quoted URL in a script that contains a given part."""
    place = program.find(part)
    if place < 0:
        return None
    before, after = program[max(place - MAX_VALUE, 0) : place], program[place : place + MAX_VALUE]
    start = max(map(before.rfind, _QUOTES)) + 1
    ends = [end for end in map(after.find, _QUOTES) if end >= 0]
    text = (before[start:] + after[: min(ends)]).replace("\\/", "/") if start and ends else ""
    return text if text.startswith(("//", "http:", "https:")) and len(text) <= MAX_VALUE else None


def _value(text: str | None) -> str | None:
    """Return the cleaned value, or None if it is unusable."""
    if text is None or len(text) > MAX_VALUE:
        return None
    cleaned = clean(text)
    return cleaned if cleaned and cleaned not in _PLACEHOLDERS else None
