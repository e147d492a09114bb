"""The page to explain and the page that it is compared with, from addresses and files."""

import codecs
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from models.limits import MAX_CONTENT_BYTES, MAX_HTML_BYTES
from worker.comments import CommentPattern
from worker.content import comment_pattern_of, pattern_of_group, patterns_for_page
from worker.inputs import read_messages
from worker.inputs.html import html_file, is_html
from worker.inputs.streams import STANDARD_INPUT, open_source
from worker.inspection.errors import ExplainingError
from worker.inspection.fetching import Fetched, fetch
from worker.pages import Page, PageError, parse_page, site_key, site_of

if TYPE_CHECKING:
    from models.messages import PageMessage

_UNKNOWN_URL = "https://standard-input.invalid/"
"""Address of a page that came without one, under the domain of names that do not exist."""

_SCHEMES = ("http://", "https://")


@dataclass(frozen=True)
class Subject:
    """What is to be explained.

    Attributes
    ----------
    page
        The page.
    site
        Key of its site.
    pivot
        Another page of its template group, None where there is none.
    group_size
        Number of pages in the group, the page among them; 1 for a page alone.
    patterns
        Where to look for the page's comments.
    site_pages
        Number of other pages that were looked at.
    fetched_at
        When the page was fetched, None where that is not known.
    """

    page: Page
    site: str
    pivot: Page | None
    group_size: int
    patterns: Sequence[CommentPattern] | None
    site_pages: int
    fetched_at: datetime | None


def load_subject(
    place: str, site_pages: Path | None = None, url: str | None = None, *, threads: int = 1
) -> Subject:
    """Read a page, and find another one of its template as the service does.

    Parameters
    ----------
    place
        An http or https address, a file that `worker.inputs.read_messages` reads, or ``-`` for
        the page itself, or page messages, on standard input.
    site_pages
        File or folder with other pages. Those of the page's site are compared with it; where
        none is, but all are of one site, those: pages saved by hand have lost their address.
    url
        Address of the page: which one of a file of several, or what that of a single page is.
    threads
        Number of threads that compare.

    Raises
    ------
    ExplainingError
        If there is no such page, there are several, or it cannot be used.
    worker.inputs.errors.SourceError
        If a file cannot be read.
    """
    source, site = _load_page(place, url)
    page = _parse(source)
    others = _site_pages(site_pages, source, site) if site_pages is not None else []
    own = comment_pattern_of(page)
    if not others:
        patterns = patterns_for_page(own, None)
        return Subject(page, site, None, 1, patterns, 0, source.fetched_at)
    # What compares pages takes long to import, and a page alone needs none of it.
    from worker.templates.sites import group_site

    pages = [page, *_readable(others)]
    groups = group_site(
        site, [each.url for each in pages], [each.tree for each in pages], threads=threads
    )
    group, pivot = groups.group_of(0), groups.compared_with(0)
    members = [pages[member] for member in group.members] if group is not None else []
    of_group = pattern_of_group(comment_pattern_of(member) for member in members)
    return Subject(
        page,
        site,
        pages[pivot] if pivot is not None else None,
        len(members) or 1,
        patterns_for_page(own, of_group),
        len(others),
        source.fetched_at,
    )


def _load_page(place: str, url: str | None) -> tuple[Fetched, str]:
    if place.lower().startswith(_SCHEMES):
        fetched = fetch(place)
        return fetched, site_of(fetched.url)
    if place == "-":
        with open_source(STANDARD_INPUT) as stream:
            content = stream.read(MAX_CONTENT_BYTES + 1)
        if not content.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
            source = Fetched(url or _UNKNOWN_URL, content, None)
            return source, site_of(source.url)
        bodies: Iterable[bytes] = content.splitlines()
    elif (file := _html_page(Path(place))) is not None:
        source = file if url is None else replace(file, url=url)
        return source, site_of(source.url)
    else:
        bodies = read_messages(place)
    messages = list(_page_messages(bodies))
    if len(messages) == 1:
        [message] = messages
        source = _source(message)
        if url is not None and url != message.url:
            return replace(source, url=url), site_of(url)
        return source, _site(message)
    named = [message for message in messages if message.url == url]
    if named:
        return _source(named[-1]), _site(named[-1])
    if url is not None:
        raise ExplainingError(f"{place}: holds no page of the address {url}")
    raise ExplainingError(f"{place}: holds {len(messages)} pages: name one by --url")


def _html_page(path: Path) -> Fetched | None:
    """Return the page of a file of HTML, None for any other, and where it is no page."""
    if not is_html(path) or not path.is_file():
        return None
    file = html_file(path, path.parent)
    has_port = ":" in file.url.removeprefix("https://")
    is_page = len(file.content) <= MAX_HTML_BYTES and not has_port
    return Fetched(file.url, file.content, None) if is_page else None


def _site_pages(path: Path, page: Fetched, site: str) -> list[Fetched]:
    # As the libraries that compare pages, the settings are not waited for by a page alone.
    from worker.settings import WHOLE_MATRIX_TREES

    by_site: defaultdict[str, dict[str, Fetched]] = defaultdict(dict)
    for message in _page_messages(read_messages(path)):
        if message.url != page.url:
            by_site[_site(message)][message.url] = _source(message)
    pages = by_site[site] if site in by_site or len(by_site) != 1 else by_site.popitem()[1]
    return [pages[url] for url in sorted(pages)[:WHOLE_MATRIX_TREES]]


def _page_messages(bodies: Iterable[bytes]) -> "Iterator[PageMessage]":
    # Half of what it takes to read a page, which a file of HTML need not wait for.
    from pydantic import ValidationError

    from models.messages import PageMessage

    for body in bodies:
        try:
            yield PageMessage.from_json(body)
        except ValidationError:
            continue


def _source(message: "PageMessage") -> Fetched:
    return Fetched(message.url, message.content, message.content_type, message.fetched_at)


def _site(message: "PageMessage") -> str:
    return site_key(message.site, message.url)


def _readable(others: Iterable[Fetched]) -> Iterator[Page]:
    for other in others:
        with suppress(PageError):
            yield parse_page(other.content, other.url, content_type=other.content_type)


def _parse(source: Fetched) -> Page:
    try:
        return parse_page(source.content, source.url, content_type=source.content_type)
    except PageError as error:
        raise ExplainingError(f"{source.url}: {error.outcome}: {error}") from error
