"""Pages that users give by URL, in a file or folder, or on standard input."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, cast

from detourage.errors import ExpectedError
from detourage.html import Page, PageError, parse_page, site_key, site_of
from detourage.inputs import SourceError, read_messages
from detourage.inputs.html import HtmlFile, html_file, is_html
from detourage.inputs.lines import lines_of
from detourage.inputs.streams import STANDARD_INPUT, open_source
from detourage.limits import MAX_CONTENT_BYTES, MAX_HTML_BYTES
from detourage.outcomes import PageOutcome

if TYPE_CHECKING:
    from io import BufferedReader

UNKNOWN_URL = "https://standard-input.invalid/"
"""URL assigned to a page given without one, in the reserved domain ``invalid``."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/?/")


class ExplainingError(ExpectedError):
    """There is no page to examine (the outcome is None), or the page has no article."""

    def __init__(self, name: str, problem: str, outcome: PageOutcome | None = None) -> None:
        # The text may contain line breaks sent by a server; the message must be a single line.
        self.name, self.problem, self.outcome = name, " ".join(problem.split()), outcome
        parts = (name, outcome, self.problem) if outcome else (name, self.problem)
        super().__init__(": ".join(parts))


@dataclass(frozen=True)
class Source:
    """An unparsed page, with its name for error messages and the key of its site."""

    name: str
    url: str
    content: bytes | str
    content_type: str | None
    fetched_at: datetime | None
    site: str

    def parse(self) -> Page:
        """Return the parsed page; raise `ExplainingError` if it is unusable."""
        try:
            return parse_page(self.content, self.url, content_type=self.content_type)
        except PageError as error:
            problem = str(error)
            if error.outcome == PageOutcome.EMPTY:
                problem = f"it has no {'visible ' if self.content.strip() else ''}content"
            raise ExplainingError(self.name, problem, error.outcome) from error


@dataclass(frozen=True)
class GivenPage:
    """A page that has not been read yet, so that another process can read it.

    It is a URL to fetch (`address`), a page message (`body`), or HTML with its URL.
    """

    name: str
    address: str | None = None
    body: bytes | None = None
    html: bytes | None = None
    url: str = UNKNOWN_URL
    is_single: bool = True

    def read(self) -> Source:
        """Read the page; raise `ExplainingError` if it is unreachable or its message is invalid."""
        if self.address is not None:
            from detourage.explain.fetching import fetch

            return fetch(self.address)
        if self.html is not None:
            return Source(self.name, self.url, self.html, None, None, site_of(self.url))
        # Importing the message contracts takes as long as importing everything else for one page.
        from detourage.inputs.received import UnusableMessageError, read_message

        try:
            message = read_message(self.body or b"")
        except UnusableMessageError as error:
            raise ExplainingError(self.name, f"{error.reason}: {error.detail}") from error
        return Source(
            self.name if self.is_single else message.url,
            message.url,
            message.content,
            message.content_type,
            message.fetched_at,
            site_key(message.site, message.url),
        )


def given_pages(place: str) -> Iterator[GivenPage]:
    """Yield the pages at a URL, in a file or folder (see `read_messages`), or on standard input.

    Raise `ExplainingError` for another URL scheme, and `SourceError` if a file cannot be read.
    """
    scheme = _SCHEME.match(place)
    if scheme is not None:
        if scheme[1].lower() not in ("http", "https"):
            raise ExplainingError(place, "only http and https URLs are supported")
        yield GivenPage(place, address=place)
    elif place == "-":
        yield from _standard_input()
    else:
        yield from _of_file(place)


def _standard_input() -> Iterator[GivenPage]:
    name = "standard input"
    with open_source(STANDARD_INPUT) as stream:
        start = cast("BufferedReader", stream).peek(1)
        if start.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
            yield from _numbered(name, lines_of(stream, name))
        else:
            yield GivenPage(name, html=stream.read(MAX_CONTENT_BYTES + 1))


def _of_file(place: str) -> Iterator[GivenPage]:
    path = Path(place)
    if (page := _html_page(path)) is not None:
        yield GivenPage(place, html=page.content, url=page.url)
        return
    try:
        bodies = read_messages(path)
        first = next(bodies, None)
    except SourceError as error:
        if error.problem == "no such file or folder":
            hint = f"{error.problem}, and not a URL: URLs begin with http:// or https://"
            raise SourceError(place, hint) from error
        raise
    if first is None:
        raise SourceError(place, "contains no page")
    if is_html(path) and path.is_file():
        yield GivenPage(place, body=first)
        return
    yield from _numbered(place, chain([first], bodies))


def _html_page(path: Path) -> HtmlFile | None:
    if not is_html(path) or not path.is_file():
        return None
    file = html_file(path, path.parent)
    has_port = ":" in file.url.removeprefix("https://")
    return file if len(file.content) <= MAX_HTML_BYTES and not has_port else None


def _numbered(name: str, bodies: Iterator[bytes]) -> Iterator[GivenPage]:
    for number, body in enumerate(bodies, start=1):
        yield GivenPage(f"{name}, message {number}", body=body, is_single=False)
