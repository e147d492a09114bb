"""Extraction jobs: which pages await extraction, and how workers start and finish it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import LargeBinary
from sqlalchemy.orm import Session

from detourage.addresses import PageAddress
from detourage.html import Response
from detourage.outcomes import PageOutcome
from worker.errors import LostContentError
from worker.store.addresses import page_addresses
from worker.store.articles import NewRevision, revision_params
from worker.store.database import AdvisoryLock
from worker.store.pages import StoredContent, read_contents
from worker.store.queries import Statements
from worker.tracing import Context

SQL = Statements("extraction_jobs")


@dataclass(frozen=True)
class TemplatePage:
    """The page with which another page is compared."""

    id: int
    url: str
    content_type: str | None
    content_digest: str


@dataclass(frozen=True)
class BegunPage:
    """A page whose extraction has begun; ``attempt`` includes the current attempt."""

    page_id: int
    generation: int
    url: str
    content_type: str | None
    fetched_at: datetime | None
    content_digest: str
    comment_pattern: str | None
    extra: str
    attempt: int
    trace: Context

    @property
    def response(self) -> Response:
        """HTTP response that delivered the page."""
        return Response.of(self.extra)


@dataclass(frozen=True)
class ExtractionJob(BegunPage):
    """An extraction that a worker has started, with everything it needs from the store."""

    site_key: str
    content: bytes | str | LostContentError | None  # None if not read, after too many attempts
    group_number: int | None
    role: str
    group_size: int
    group_pattern: str | None
    template_page: TemplatePage | None
    shared_lines: bytes | None = None
    lines: bytes | None = None


def page_params(wanted: Mapping[int, int]) -> dict[str, list[int]]:
    """Return the parameters for pages, given with their generations."""
    return {"pages": list(wanted), "generations": list(wanted.values())}


def begin(
    session: Session, wanted: Mapping[int, int], *, earlier_attempts: int | None = None
) -> list[BegunPage]:
    """Count an attempt for each extraction that is still awaited, and return the pages.

    ``wanted`` maps page IDs to generations. Pages with more than ``earlier_attempts`` attempts are
    excluded. Commit before `load`, so that the attempt counts even if reading kills the process.
    The transaction does not wait for the disk: if a database crash loses the count, the cost is one
    extra attempt.
    """
    due = {**page_params(wanted), "earlier": earlier_attempts}
    return [BegunPage(*row) for row in session.execute(SQL.begin, due)]


_PLACES = SQL.places.columns(compressed=LargeBinary, shared_lines=LargeBinary, lines=LargeBinary)


def load(session: Session, begun: Sequence[BegunPage], *, max_attempts: int) -> list[ExtractionJob]:
    """Return the jobs of begun pages; after `max_attempts`, their content is not read again."""
    found = []
    page_of = {page.page_id: page for page in begun}
    readable = [each.page_id for each in begun if each.attempt <= max_attempts]
    wanted = page_params({page.page_id: page.generation for page in begun})
    places = session.execute(_PLACES, {**wanted, "readable": readable}).all()
    stored = {
        each.page_id: StoredContent(each.compressed, each.object_url, each.is_text)
        for each in places
        if each.page_id in readable and each.is_text is not None
    }
    contents = dict(zip(stored, read_contents(list(stored.values())), strict=True))
    for place in places:
        page = page_of[place.page_id]
        if page.attempt <= max_attempts and page.page_id not in contents:
            continue
        template_page = TemplatePage(
            place.template_page_id, place.url, place.content_type, place.content_digest
        )
        job = ExtractionJob(
            **vars(page),
            site_key=place.key,
            content=contents.get(page.page_id),
            group_number=place.group_number,
            role=place.role,
            group_size=place.size or 1,
            group_pattern=place.group_pattern,
            template_page=template_page if place.template_page_id is not None else None,
            shared_lines=place.shared_lines,
            lines=place.lines,
        )
        found.append(job)
    return found


@dataclass(frozen=True)
class PageState:
    """State of a page awaiting extraction; ``last_digest`` is the digest of its latest article."""

    site_id: int
    url: str
    crawler_id: str | None
    fetched_at: datetime | None
    content_digest: str
    forced: bool
    revision: int
    refused: dict[str, Any] | None
    waiting_since: datetime
    template_page_id: int | None
    last_digest: str | None
    addresses: Sequence[PageAddress] = ()


def lock_pages(session: Session, wanted: Mapping[int, int]) -> dict[int, PageState]:
    """Lock the pages, given with generations, that still await extraction; return their states."""
    params = page_params(wanted)
    locked = {page_id: rest for page_id, *rest in session.execute(SQL.lock_pages, params)}
    # Read after locking, since the previous holder of the lock may have changed them.
    found = {
        page_id: (*rest, page_addresses(stored))
        for page_id, *rest, stored in session.execute(SQL.surroundings, params)
    }
    return {
        page_id: PageState(*(*of_page, *found[page_id]))
        for page_id, of_page in locked.items()
        if page_id in found
    }


class ExtractionResult(NamedTuple):
    """The changes made to a page by its extraction."""

    page_id: int
    generation: int
    extraction_key: str
    outcome: PageOutcome
    outcome_detail: str | None
    revision: int
    confidence: float | None
    short_text: bytes | None

    @property
    def has_article(self) -> bool:
        """Whether the page's latest revision is current, even if it is now behind a wall."""
        is_inaccessible = self.outcome in (PageOutcome.WALL, PageOutcome.GONE)
        return self.outcome == PageOutcome.ARTICLE or (is_inaccessible and self.revision > 0)


def save_results(
    session: Session,
    results: Sequence[ExtractionResult],
    revisions: Sequence[NewRevision],
    without_parts: Sequence[int],
) -> None:
    """Store the results of pages, which must be locked, and enqueue their new revisions."""
    columns = map(list, zip(*results, strict=True))
    values = dict(zip(ExtractionResult._fields, columns, strict=True))
    params = {**values, "others": list(without_parts), **revision_params(revisions)}
    session.execute(SQL.save_results, params)


def find_late(
    session: Session, lanes: Sequence[str], *, patience_seconds: float, limit: int
) -> list[tuple[int, int]]:
    """Return overdue extractions, as page IDs and generations, that are not in the outbox."""
    wanted = {"lanes": list(lanes), "patience": patience_seconds, "limit": limit}
    return [(page_id, generation) for page_id, generation in session.execute(SQL.find_late, wanted)]


MAX_COUNTED = 100  # maximum number of pages counted per text, as a wall may be at every URL

_WITH_SHORT_TEXTS = SQL.with_short_texts.bindparams(max_counted=MAX_COUNTED)


def pages_with_short_texts(
    session: Session, site_id: int, texts: Collection[bytes]
) -> dict[bytes, set[int]]:
    """Return the IDs of a site's pages with the given short texts, by text.

    A lock serialises the counts of a site, so that the last of several concurrent transactions sees
    the pages of all others.
    """
    lock = {"class": AdvisoryLock.SHORT_TEXTS.value, "site_id": site_id}
    session.execute(SQL.lock_short_texts, lock)
    rows = session.execute(_WITH_SHORT_TEXTS, {"site_id": site_id, "texts": list(texts)})
    found: defaultdict[bytes, set[int]] = defaultdict(set)
    for short_text, page_id in rows:
        found[bytes(short_text)].add(page_id)
    return found


def articles_among(session: Session, page_ids: Sequence[int]) -> Mapping[int, list[int]]:
    """Lock the given pages whose outcome is an article, and return their IDs by generation.

    Pages locked by another transaction are skipped, since that transaction handles them itself.
    """
    found: defaultdict[int, list[int]] = defaultdict(list)
    for generation, page_id in session.execute(SQL.articles_among, {"ids": list(page_ids)}):
        found[generation].append(page_id)
    return found
