"""Stored pages, which are read again with the service's template knowledge."""

import hashlib
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING, Final

from sqlalchemy.orm import Session

from detourage.comments import CommentPattern
from detourage.errors import ExpectedError
from detourage.html import Page, PageError, parse_page
from detourage.limits import MAX_HTML_BYTES
from detourage.packed_bytes import DamagedBytesError, unpack
from detourage.reader import Explanation, TemplateKnowledge
from detourage.reader.content import explain_content, patterns_for_page
from detourage.reader.knowledge import knowledge_of
from detourage.reader.shared_lines import PageLines, SharedLines
from detourage.time_limit import TimeIsUpError
from inspector.reads import SQL
from inspector.reads.details import PagePlace, TemplatePage, place_of_page
from inspector.time_limit import thread_time_limit
from models.tables import StoredPage

if TYPE_CHECKING:
    from obstore.store import ClientConfig

READING_SECONDS: Final = 5.0
"""Time limit for reading a page."""


class TooSlowError(ExpectedError):
    """A request was aborted because it took too long."""


@dataclass(frozen=True)
class KnownPage:
    """A page's row, place among the groups, content (None if removed) and template knowledge."""

    page: StoredPage
    place: PagePlace
    content: bytes | str | None
    template: TemplateKnowledge | None

    def parse(self) -> Page | None:
        """Return the parsed page, or None if it is no longer stored or cannot be parsed."""
        return parsed(self.content, self.page)

    @property
    def key(self) -> Hashable:
        """Cache key, which covers everything on which the reading depends."""
        row, place = self.page, self.place
        return (
            *(row.id, row.content_digest, row.comment_pattern, self.content is None),
            *(place.group_pattern, place.shared_lines, place.lines, place.template_page),
        )

    def read(self) -> "Reading | None":
        """Read the page and explain it; None if it is no longer stored or cannot be parsed.

        Raise `TooSlowError` if reading takes longer than `READING_SECONDS`.
        """
        try:
            with thread_time_limit(READING_SECONDS):
                page = self.parse()
                if page is None:
                    return None
                patterns = patterns_for_page(
                    read_pattern(self.page.comment_pattern), read_pattern(self.place.group_pattern)
                )
                return Reading(page, explain_content(page, self.template, patterns))
        except TimeIsUpError:
            raise TooSlowError("the page took too long to read") from None


@dataclass(frozen=True, eq=False)
class Reading:
    """A parsed page and its explanation."""

    page: Page
    explanation: Explanation


class LastReading:
    """Cache of the most recent reading, which a view and its frame share."""

    def __init__(self) -> None:
        self._changing = Lock()
        self._kept: tuple[Hashable, Reading | None] = (None, None)

    def of(self, known: KnownPage) -> Reading | None:
        """Return the reading of a page; see `KnownPage.read`."""
        with self._changing:
            key, reading = self._kept
        if key != known.key:
            reading = known.read()
            with self._changing:
                self._kept = known.key, reading
        return reading


def known_page(session: Session, page_id: int) -> KnownPage | None:
    """Return the stored data of a page, or None if the page does not exist."""
    page = session.get(StoredPage, page_id)
    place = place_of_page(session, page_id)
    if page is None or place is None:
        return None
    template = None
    if place.template_page is not None:
        template = knowledge_of(_template_of(session, place.template_page))
        with suppress(ValueError):
            if place.shared_lines is not None and place.lines is not None:
                shared = SharedLines.from_bytes(place.shared_lines)
                lines = PageLines.from_bytes(place.lines)
                template = template.with_shared(shared.on(page.url, lines))
    return KnownPage(page, place, content_if_stored(session, page_id), template)


def content_if_stored(session: Session, page_id: int) -> bytes | str | None:
    """Return a page's content, or None if it was removed, lost or damaged."""
    row = session.execute(SQL.content_if_stored, {"page_id": page_id}).one_or_none()
    if row is None:
        return None
    packed = _object_at(row.object_url) if row.object_url else bytes(row.compressed)
    try:
        html = unpack(packed, MAX_HTML_BYTES) if packed is not None else None
        return html.decode("utf-8", "surrogatepass") if html is not None and row.is_text else html
    except (DamagedBytesError, UnicodeDecodeError):
        return None


def _object_at(url: str) -> bytes | None:
    """Return an object, or None if it is missing or damaged; its name is its SHA-256 digest."""
    import obstore
    from obstore.exceptions import BaseError
    from obstore.store import from_url

    base, shard, digest = url.rsplit("/", 2)
    try:
        if base.startswith("file:"):
            store = from_url(base)
        else:
            options: ClientConfig = {"allow_http": True, "timeout": timedelta(seconds=5)}
            store = from_url(base, client_options=options)
        found = obstore.get(store, f"{shard}/{digest}")
        content = bytes(found.bytes()) if found.meta["size"] <= 2 * MAX_HTML_BYTES else b""
    except FileNotFoundError:
        return None
    except (BaseError, OSError) as error:
        raise ExpectedError(f"the object store {base} does not respond: {error}") from error
    return content if hashlib.sha256(content).hexdigest() == digest else None


def read_pattern(stored: str | None) -> CommentPattern | None:
    """Return a stored comment pattern, or None if it is damaged."""
    with suppress(ValueError):
        return CommentPattern.from_json(stored) if stored is not None else None
    return None


def parsed(content: bytes | str | None, row: StoredPage | TemplatePage) -> Page | None:
    """Parse a stored page; return None if its content is missing or cannot be parsed."""
    if content is None:
        return None
    try:
        return parse_page(content, row.url, content_type=row.content_type)
    except PageError:
        return None


def _template_of(session: Session, template_page: TemplatePage) -> TemplateKnowledge | None:
    packed = session.scalar(SQL.template_of, vars(template_page))
    if packed is not None:
        # Otherwise damaged, or written by an earlier version of the service.
        with suppress(ValueError):
            return TemplateKnowledge.from_bytes(bytes(packed))
    page = parsed(content_if_stored(session, template_page.id), template_page)
    return TemplateKnowledge.from_pages([page]) if page is not None else None
