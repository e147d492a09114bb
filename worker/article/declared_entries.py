"""Entries of a live report that its page declares in JSON-LD."""

from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

from worker.article.entry import Entry
from worker.article.live import declared_reports
from worker.html import Page
from worker.html.addresses import split_url
from worker.html.fragments import plain_paragraphs
from worker.text.dates import Moment, parse_moment
from worker.text.words import clean

MAX_DECLARED = 1_000
"""Maximum number of entries to read; the text of each is parsed like a page."""

MAX_CHARACTERS = 50_000
"""Maximum length of an entry's text."""

MAX_FORM = 6
"""Maximum length of the suffix that distinguishes a variant of a page: ``.amp``, ``/amp``,
``.html``."""

MAX_SHORT = 300
"""Maximum length of a headline, name, date or URL."""


def declared_entries(page: Page, canonical: str | None = None) -> list[Entry]:
    """Read the live-report entries that a page declares, in order; their IDs may be empty.

    A report is ignored if it declares a URL that is neither the page's own nor its `canonical` URL,
    because the page merely links to it.
    """
    reports = [*declared_reports(page)]
    if page.url:
        own = [_path(page.url), *([_path(canonical)] if canonical else [])]
        reports = [each for each in reports if _is_of(own, [*_paths(each)])]
    if len(reports) != 1:
        return []
    updates = reports[0]["liveBlogUpdate"]
    listed = updates if isinstance(updates, list) else [updates]
    found = (
        _entry(each, page.url, reports[0].get("headline"))
        for each in listed[:MAX_DECLARED]
        if isinstance(each, dict)
    )
    return [entry for entry in found if entry is not None]


def _is_of(own: Sequence[str], paths: Sequence[str]) -> bool:
    """Return whether a report declares the page's URL, a variant of it, or no URL."""
    return not paths or any(
        path.startswith(each) and len(path) - len(each) <= MAX_FORM
        for path, each in (sorted((path, each), reverse=True) for path in paths for each in own)
    )


def _paths(report: Mapping[str, Any]) -> Iterator[str]:
    for name in ("url", "@id", "mainEntityOfPage"):
        value = report.get(name)
        address = value.get("@id") if isinstance(value, dict) else value
        if isinstance(address, str) and _path(address):
            yield _path(address)


def _path(address: str) -> str:
    return split_url(address).path.rstrip("/")


def _entry(value: Mapping[str, Any], url: str, headline: Any) -> Entry | None:
    title: str | None = _short(value.get("headline")) or _short(value.get("name"))
    text = "\n\n".join(plain_paragraphs(_text(value)))
    if title and (title == headline or text == title):
        # Some pages give every entry the report's headline.
        title = None if text else title
    if not title and not text:
        return None
    return Entry(
        id=_id(value, url),
        text=text,
        title=title or None,
        time=_time(value),
        author=_author(value.get("author")),
    )


def _text(value: Mapping[str, Any]) -> str:
    for name in ("articleBody", "text", "description"):
        text = value.get(name)
        if isinstance(text, str) and text.strip():
            return text[:MAX_CHARACTERS]
    return ""


def _time(value: Mapping[str, Any]) -> Moment | None:
    for name in ("datePublished", "dateCreated", "dateModified"):
        written = _short(value.get(name))
        moment = parse_moment(written) if written else None
        if moment is not None:
            return moment
    return None


def _id(value: Mapping[str, Any], url: str) -> str:
    """Return an entry's ID: the fragment of its URL, or the URL itself if it is another page."""
    for name in ("@id", "identifier", "url"):
        given = _short(value.get(name))
        if given and "#" in given:
            return given.rpartition("#")[2]
        if given and _path(given) != _path(url):
            return given
    return ""


def _author(value: Any) -> str | None:
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    for each in values[:1]:
        return _short(each.get("name") if isinstance(each, dict) else each) or None
    return None


def _short(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 10 * MAX_SHORT:
        return ""
    return clean(unescape(value))[:MAX_SHORT]
