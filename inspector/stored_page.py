"""Stored pages, which are read again with the service's template knowledge."""

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Final

from sqlalchemy.orm import Session

from detourage.errors import ExpectedError
from detourage.html import Page, PageError, parse_page
from detourage.reader import Explanation, TemplateKnowledge
from detourage.reader.content import explain_content
from detourage.time_limit import TimeIsUpError, thread_time_limit
from inspector.reads.details import PagePlace, place_of_page
from models.tables import StoredPage
from worker.errors import LostContentError
from worker.store.extraction_jobs import Pivot
from worker.store.groups import load_knowledge
from worker.store.pages import load_content, load_page
from worker.workflow.comment_patterns import patterns_for_page

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
            *(place.group_pattern, place.pivot),
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
                patterns = patterns_for_page(self.page.comment_pattern, self.place.group_pattern)
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
    page = load_page(session, page_id)
    place = place_of_page(session, page_id)
    if page is None or place is None:
        return None
    template = _template_of(session, place.pivot) if place.pivot is not None else None
    return KnownPage(page, place, content_if_stored(session, page_id), template)


def content_if_stored(session: Session, page_id: int) -> bytes | str | None:
    """Return a page's content, or None if it was removed, or lost from the object store."""
    try:
        return load_content(session, page_id)
    except LostContentError:
        return None


def parsed(content: bytes | str | None, row: StoredPage | Pivot) -> Page | None:
    """Parse a stored page; return None if its content is missing or cannot be parsed."""
    if content is None:
        return None
    try:
        return parse_page(content, row.url, content_type=row.content_type)
    except PageError:
        return None


def _template_of(session: Session, pivot: Pivot) -> TemplateKnowledge | None:
    packed = load_knowledge(session, {pivot.id: pivot.content_digest}).get(pivot.id)
    if packed is not None:
        # Otherwise damaged, or written by an earlier version of the service.
        with suppress(ValueError):
            return TemplateKnowledge.from_bytes(packed)
    page = parsed(content_if_stored(session, pivot.id), pivot)
    return TemplateKnowledge.from_pages([page]) if page is not None else None
