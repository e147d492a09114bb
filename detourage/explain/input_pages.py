"""Input of `extract` and `explain`: the page to examine, and pages to compare it with."""

import codecs
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from detourage.comments import CommentPattern
from detourage.expected_errors import ExpectedError
from detourage.html import Page, PageError, parse_page, site_key, site_of
from detourage.inputs import Origin, SourceError, read_messages
from detourage.inputs.files_and_folders import (
    UNKNOWN,
    HtmlFile,
    HtmlFolder,
    is_html,
    is_url_list,
    lines_of,
    read_folder,
    read_lines,
)
from detourage.inputs.streams import STANDARD_INPUT, open_source
from detourage.limits import MAX_CONTENT_BYTES, MAX_HTML_BYTES, WHOLE_MATRIX_TREES
from detourage.outcomes import PageOutcome
from detourage.pages import Page as FetchedPage
from detourage.reader import TemplateKnowledge
from detourage.text.plural import pluralise

if TYPE_CHECKING:
    from io import BufferedReader

UNKNOWN_URL = "https://standard-input.invalid/"  # of a page without one, in a reserved domain

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/?/")


class ExplainingError(ExpectedError):
    """There is no page to examine (`outcome` is None), or the page has no article."""

    def __init__(self, name: str, problem: str, outcome: PageOutcome | None = None) -> None:
        # `problem` may contain line breaks sent by a server, but messages must be a single line.
        self.name, self.problem, self.outcome = name, " ".join(problem.split()), outcome
        parts = (name, outcome, self.problem) if outcome else (name, self.problem)
        super().__init__(": ".join(parts))


@dataclass(frozen=True)
class Source(FetchedPage):
    """An unparsed page, with its name for error messages and the key of its site."""

    name: str = ""
    site: str = ""

    def parse(self) -> Page:
        """Return the parsed page; raise `ExplainingError` if it is unusable."""
        try:
            return parse_page(self.html, self.url, content_type=self.content_type)
        except PageError as error:
            problem = str(error)
            if error.outcome == PageOutcome.EMPTY:
                problem = f"it has no {'visible ' if self.html.strip() else ''}content"
            raise ExplainingError(self.name, problem, error.outcome) from error


@dataclass(frozen=True)
class InputPage:
    """A page that is not yet read, so that another process can read it.

    It is a URL to fetch (`address`, with a `source` once it is fetched), a page message (`body`),
    `html` with its `url`, or a `problem` with a file. Error messages contain its `name` if
    `is_single` is true, otherwise its URL. `path` is the path of an HTML file, relative to the
    given folder.
    """

    name: str
    address: str | None = None
    body: bytes | None = None
    html: bytes | None = None
    url: str = UNKNOWN_URL
    is_single: bool = True
    path: Path | None = None
    problem: str | None = None
    source: Source | None = None

    def read(self) -> Source:
        """Read the page; raise `ExplainingError` if it is unreachable or its message is invalid."""
        if self.problem is not None:
            raise ExplainingError(self.name, self.problem)
        if self.source is not None:
            return self.source
        if self.address is not None:
            from detourage.fetching import FetchError, fetch

            try:
                page = fetch(self.address)
            except FetchError as error:
                raise ExplainingError(error.url, error.problem) from error
            return Source(**vars(page), name=self.address, site=site_of(page.url))
        if self.html is not None:
            return Source(self.html, self.url, name=self.name, site=site_of(self.url))
        # Imported here because the message contracts double the import time for a single page.
        from detourage.inputs.message_validation import UnusableMessageError, read_message

        try:
            message = read_message(self.body or b"")
        except UnusableMessageError as error:
            raise ExplainingError(self.name, f"{error.reason}: {error.detail}") from error
        fetched = (message.content, message.url, message.content_type, message.fetched_at)
        name = self.name if self.is_single else message.url
        return Source(*fetched, name=name, site=site_key(message.site, message.url))


def input_pages(given: str, origin: Origin = UNKNOWN) -> Iterator[InputPage]:
    """Yield the pages at a URL, in a file or folder (see `read_messages`), or on standard input.

    A file or standard input may also be a list of URLs, one per line.

    Raise `ExplainingError` for unsupported URL schemes, and `SourceError` if a file is unreadable.
    """
    scheme = _SCHEME.match(given)
    if scheme is not None:
        if scheme[1].lower() not in ("http", "https"):
            raise ExplainingError(given, "only http and https URLs are supported")
        yield InputPage(given, address=given)
    elif given == "-":
        yield from _standard_input_pages()
    else:
        yield from _file_pages(given, origin)


def _standard_input_pages() -> Iterator[InputPage]:
    name = "standard input"
    with open_source(STANDARD_INPUT) as stream:
        peeked = cast("BufferedReader", stream).peek(1)
        beginning = peeked.removeprefix(codecs.BOM_UTF8).lstrip()
        if beginning.startswith(b"{"):
            yield from _message_pages(name, lines_of(stream, name))
        elif beginning.startswith((b"http://", b"https://")):
            yield from _listed_pages(lines_of(stream, name))
        else:
            yield InputPage(name, html=stream.read(MAX_CONTENT_BYTES + 1))


def _listed_pages(lines: Iterable[bytes]) -> Iterator[InputPage]:
    """Yield the pages in a list of URLs; lines that start with ``#`` are comments."""
    for line in lines:
        url = line.decode(errors="replace").strip()
        if not url.startswith("#"):
            yield InputPage(url, address=url)


def _file_pages(name: str, origin: Origin) -> Iterator[InputPage]:
    path = Path(name)
    if is_html(path) and path.is_file():
        yield _html_page(HtmlFolder(path.parent, origin).read(path), name)
        return
    if path.is_dir():
        pages = _folder_pages(path, origin)
    else:
        try:
            pages = _message_pages(name, read_messages(path))
        except SourceError as error:
            if path.is_file() and is_url_list(path):
                pages = _listed_pages(read_lines(path))
            else:
                other = "nor a list of URLs" if path.is_file() else "and not a URL"
                hint = f"{error.problem}, {other}: URLs begin with http:// or https://"
                raise SourceError(name, hint) from error
    first = next(pages, None)
    if first is None:
        raise SourceError(name, "contains no page")
    yield first
    yield from pages


def _folder_pages(folder: Path, origin: Origin) -> Iterator[InputPage]:
    number = 0
    for each in read_folder(folder, origin):
        if isinstance(each, SourceError):
            yield InputPage(str(each.path), problem=each.problem)
        elif isinstance(each, HtmlFile):
            yield replace(_html_page(each, str(folder / each.path)), path=each.path)
        else:
            number += 1
            yield _message_page(str(folder), number, each)


def _html_page(file: HtmlFile, name: str) -> InputPage:
    has_port = ":" in file.url.partition("://")[2].partition("/")[0]
    if len(file.content) <= MAX_HTML_BYTES and not has_port:
        return InputPage(name, html=file.content, url=file.url)
    # The validation of messages reports oversized content and invalid ports.
    return InputPage(name, body=file.message())


def _message_pages(name: str, bodies: Iterator[bytes]) -> Iterator[InputPage]:
    return (_message_page(name, number, body) for number, body in enumerate(bodies, start=1))


def _message_page(name: str, number: int, body: bytes) -> InputPage:
    return InputPage(f"{name}, message {number}", body=body, is_single=False)


class Subject(NamedTuple):
    """The page to examine and, if other pages were given, knowledge about its template."""

    source: Source
    page: Page
    template_page: Source | None = None
    group_size: int = 1
    template: TemplateKnowledge | None = None
    group_pattern: CommentPattern | None = None


def load_subject(
    given: str, site_pages: Path | None = None, url: str | None = None, *, threads: int = 1
) -> Subject:
    """Read a page, and find another page of its template as the service does.

    `url` selects one of several pages, or replaces the URL of a single page. The page is compared
    with the `site_pages` that belong to its site. If all `site_pages` belong to one other site, the
    page is compared with all of them, because pages saved by hand do not retain their URL.
    """
    source = _select_page(given, input_pages(given), url)
    page = source.parse()
    others = _site_pages(site_pages, source) if site_pages is not None else []
    if not others:
        return Subject(source, page)
    sources = {each.url: each for each in [source, *others]}
    # Imported here because a single page is not compared.
    from detourage.site import Site

    known = Site(sources.values(), threads=threads).known_about(source.url)
    template_page = sources[known.template_url] if known.template_url is not None else None
    _, size, template, group_pattern = known
    return Subject(source, page, template_page, size, template, group_pattern)


def _select_page(name: str, pages: Iterator[InputPage], url: str | None) -> Source:
    """Return the only page, or the last one with the given URL; skip invalid messages."""
    last: Source | None = None
    last_with_url: Source | None = None
    first_error: ExplainingError | None = None
    number = 0
    for page in pages:
        try:
            last = page.read()
        except ExplainingError as error:
            first_error = first_error or error
            continue
        number += 1
        if last.url == url:
            last_with_url = last
    if last_with_url is not None:
        return last_with_url
    if last is None:
        raise first_error or ExplainingError(name, "contains no page")
    if number == 1:
        return last if url is None else replace(last, url=url, site=site_of(url))
    if url is not None:
        raise ExplainingError(name, f"contains no page with the URL {url}")
    raise ExplainingError(name, f"contains {pluralise(number, 'page')}: select one with --url")


def _site_pages(path: Path, source: Source) -> list[Source]:
    """Return the pages with which a page is compared, in order of URL, without the page itself."""

    def site_of_page(page: Source) -> str:
        # Pages saved by hand have invented hosts, which differ between folders.
        return "invalid" if page.site.endswith(".invalid") else page.site

    by_site: defaultdict[str, dict[str, Source]] = defaultdict(dict)
    for page in input_pages(str(path)):
        with suppress(ExplainingError):
            other = page.read()
            # Compare the HTML as well: a file may get another URL when it is read with its folder.
            if other.url != source.url and other.html != source.html:
                by_site[site_of_page(other)][other.url] = other
    is_one_other_site = len(by_site) == 1 and site_of_page(source) not in by_site
    pages = by_site.popitem()[1] if is_one_other_site else by_site[site_of_page(source)]
    return [pages[url] for url in sorted(pages)[:WHOLE_MATRIX_TREES]]
