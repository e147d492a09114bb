"""A stored page read again, with what the service knew when it read it."""

from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy.orm import Session

from models.tables import StoredPage
from worker.content import ExplainedContent, explain_content
from worker.extraction import TemplateKnowledge
from worker.pages import Page, PageError, parse_page
from worker.store.details import PagePlace, place_of_page
from worker.store.extraction_jobs import Pivot
from worker.store.knowledge import load_knowledge
from worker.store.pages import load_content, load_page
from worker.tasks.comment_patterns import patterns_for_page


@dataclass(frozen=True)
class KnownPage:
    """What is stored of a page.

    Attributes
    ----------
    page, place
        Its row, and where it stands.
    content
        As fetched; None where it is kept no more.
    template
        What is known of the page that it is compared with.
    """

    page: StoredPage
    place: PagePlace
    content: bytes | str | None
    template: TemplateKnowledge | None

    def parse(self) -> Page | None:
        """Return the page parsed; None where it is kept no more, or is none."""
        return parsed(self.content, self.page.url, self.page.content_type)

    def explain(self, page: Page) -> ExplainedContent:
        """Read the page as the service does, and say why it is read so."""
        patterns = patterns_for_page(self.page.comment_pattern, self.place.group_pattern)
        return explain_content(page, self.template, patterns)


def known_page(session: Session, page_id: int) -> KnownPage | None:
    """Return what is stored of a page; None where there is no such page."""
    page = load_page(session, page_id)
    place = place_of_page(session, page_id)
    if page is None or place is None:
        return None
    template = _template_of(session, place.pivot) if place.pivot is not None else None
    return KnownPage(page, place, load_content(session, page_id), template)


def parsed(content: bytes | str | None, url: str, content_type: str | None) -> Page | None:
    """Return a stored page parsed; None where there is none, or it is no page."""
    if content is None:
        return None
    try:
        return parse_page(content, url, content_type=content_type)
    except PageError:
        return None


def _template_of(session: Session, pivot: Pivot) -> TemplateKnowledge | None:
    packed, content = load_knowledge(session, pivot.id, pivot.content_digest)
    if packed is not None:
        with suppress(ValueError):
            return TemplateKnowledge.from_bytes(packed)
        # Of an earlier version of the service.
        content = load_content(session, pivot.id)
    page = parsed(content, pivot.url, pivot.content_type)
    return TemplateKnowledge.from_pages([page]) if page is not None else None
