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
from detourage.expected_errors import ExpectedError
from detourage.html import Page, PageError, parse_page
from detourage.limits import MAX_HTML_BYTES
from detourage.packed_bytes import DamagedBytesError, unpack
from detourage.reader import Explanation, TemplateKnowledge
from detourage.reader.article_and_comments import explain_content
from detourage.reader.knowledge import knowledge_of
from detourage.reader.shared_lines import PageLines, SharedLines
from detourage.time_limit import TimeIsUpError
from inspector.reads import SQL
from inspector.reads.details import PageContext, TemplatePage, page_context
from inspector.time_limit import thread_time_limit
from models.tables import StoredPage

if TYPE_CHECKING:
    from obstore.store import ClientConfig

READING_SECONDS: Final = 5.0
"""Time limit for reading a page, in seconds."""


class TooSlowError(ExpectedError):
    """A request was aborted because it took too long."""


@dataclass(frozen=True)
class PageData:
    """Everything stored about a page: its row, its group, its content, and template knowledge.

    `content` is None if it was removed.
    """

    page: StoredPage
    context: PageContext
    content: bytes | str | None
    template: TemplateKnowledge | None

    def parse(self) -> Page | None:
        """Return the parsed page, or None if it is no longer stored or cannot be parsed."""
        return parse_stored(self.content, self.page)

    @property
    def key(self) -> Hashable:
        """Cache key, which covers everything in the page and its group that affects the reading."""
        page, context = self.page, self.context
        of_page = page.id, page.content_digest, self.content is None
        of_group = context.group_pattern, context.shared_lines, context.template_page
        return of_page, context.lines, of_group

    def read(self) -> "Reading | None":
        """Read and explain the page; return None if it is no longer stored or cannot be parsed.

        Raise `TooSlowError` if reading takes longer than `READING_SECONDS`.
        """
        try:
            with thread_time_limit(READING_SECONDS):
                page = self.parse()
                if page is None:
                    return None
                group_pattern = read_pattern(self.context.group_pattern)
                return Reading(page, explain_content(page, self.template, group_pattern))
        except TimeIsUpError:
            raise TooSlowError("the page took too long to read") from None


@dataclass(frozen=True, eq=False)
class Reading:
    """A parsed page and its explanation."""

    page: Page
    explanation: Explanation


class LastReading:
    """Cache of the most recent reading, which the view of a page and the frame within it share."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._cached: tuple[Hashable, Reading | None] = (None, None)

    def of(self, data: PageData) -> Reading | None:
        """Return the reading of a page; see `PageData.read`."""
        with self._lock:
            key, reading = self._cached
        if key != data.key:
            reading = data.read()
            with self._lock:
                self._cached = data.key, reading
        return reading


def page_data(session: Session, page_id: int) -> PageData | None:
    """Return what the views of a page show, or None if the page does not exist."""
    page = session.get(StoredPage, page_id)
    context = page_context(session, page_id)
    if page is None or context is None:
        return None
    template = None
    if context.template_page is not None:
        template = knowledge_of(_template_of(session, context.template_page))
        with suppress(ValueError):
            if context.shared_lines is not None and context.lines is not None:
                shared = SharedLines.from_bytes(context.shared_lines)
                lines = PageLines.from_bytes(context.lines)
                template = template.with_shared(shared.on(page.url, lines))
    return PageData(page, context, content_if_stored(session, page_id), template)


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
    """Return an object of the object store, or None if it is missing or damaged.

    The last part of the URL is the SHA-256 digest of the object.
    """
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
        stored = obstore.get(store, f"{shard}/{digest}")
        content = bytes(stored.bytes()) if stored.meta["size"] <= 2 * MAX_HTML_BYTES else b""
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


def parse_stored(content: bytes | str | None, row: StoredPage | TemplatePage) -> Page | None:
    """Parse a stored page; return None if its content is missing or cannot be parsed."""
    if content is None:
        return None
    try:
        return parse_page(content, row.url, content_type=row.content_type)
    except PageError:
        return None


def _template_of(session: Session, template_page: TemplatePage) -> TemplateKnowledge | None:
    """Return the stored knowledge learned from a page, or else learn it from the stored page."""
    packed = session.scalar(SQL.template_of, vars(template_page))
    if packed is not None:
        # ValueError: the knowledge is damaged, or was written by an earlier version of the service.
        with suppress(ValueError):
            return TemplateKnowledge.from_bytes(bytes(packed))
    page = parse_stored(content_if_stored(session, template_page.id), template_page)
    return TemplateKnowledge.from_pages([page]) if page is not None else None
