"""Extraction jobs: which pages await extraction, and how workers start and finish it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import LargeBinary, Row
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from detourage.addresses import PageAddress
from detourage.html import Response
from detourage.outcomes import PageOutcome
from worker.error_reports import LostContentError
from worker.store.addresses import parse_page_addresses
from worker.store.advisory_locks import AdvisoryLock
from worker.store.articles import NewRevision, revision_params
from worker.store.groups import AssignedPage, distances_of, member_params
from worker.store.pages import StoredContent, read_contents
from worker.store.queries import Statements
from worker.store.trees import distance_params
from worker.tracing import Context

SQL = Statements("extraction_jobs")


@dataclass(frozen=True)
class TemplatePage:
    """The page of the same group with which the page to be extracted is compared."""

    id: int
    url: str
    content_type: str | None
    content_digest: str


@dataclass
class Learned:
    """Findings of an extraction in addition to the article."""

    removable: set[int] = field(default_factory=set)  # see `TemplateKnowledge.removable`
    vote: str | None = None  # see `own_vote`


@dataclass(frozen=True)
class ExtractionJob:
    """A page to be extracted, with everything that its extraction needs from the store."""

    page_id: int
    generation: int
    url: str
    content_type: str | None
    fetched_at: datetime | None
    content_digest: str
    former_vote: str | None  # `Learned.vote` of the previous extraction of the same content
    extra: str
    attempt: int  # number of recorded attempts, including this one if it was recorded
    trace: Context
    site_key: str
    content: bytes | str | LostContentError | None  # None if not read because of too many attempts
    group_number: int | None
    role: str
    group_size: int
    group_pattern: str | None  # comment pattern of the group
    template_page: TemplatePage | None
    shared_lines: bytes | None = None  # lines that the pages of the group share
    lines: bytes | None = None  # lines of the page itself
    learned: Learned = field(default_factory=Learned)

    @property
    def response(self) -> Response:
        """HTTP response that delivered the page."""
        return Response.of(self.extra)


class PageState(NamedTuple):
    """A page awaiting extraction; ``last_digest`` is the reader digest of its latest article."""

    site_id: int
    url: str
    crawler_id: str | None
    fetched_at: datetime | None
    content_digest: str
    forced: bool  # whether to publish a revision even if nothing has changed
    revision: int  # revision of the latest article; 0 if there is none
    refused: dict[str, Any] | None  # latest response if it was a refusal, such as status 404
    waiting_since: datetime
    last_digest: str | None
    addresses: Sequence[PageAddress] = ()
    version: int = 0  # changes with every change to the page's row


def page_params(generations: Mapping[int, int]) -> dict[str, list[int]]:
    """Return the query parameters for pages, given as a mapping from page ID to generation."""
    return {"pages": list(generations), "generations": list(generations.values())}


def begin(
    session: Session,
    generations: Mapping[int, int],
    *,
    earlier_attempts: int | None = None,
    has_crashed: bool = False,
) -> list[int]:
    """Count an attempt for each page whose extraction is still awaited, and return the page IDs.

    The pages are given with their generations; those with more than ``earlier_attempts`` attempts
    and those that another process is extracting are excluded. If an attempt that was not counted
    ``has_crashed``, it is counted as well. Commit before `load`, so that the attempt counts even if
    reading kills the process. The transaction does not wait for the disk: if a database crash loses
    the count, the cost is one extra attempt.
    """
    options = {"earlier": earlier_attempts, "has_crashed": has_crashed}
    return list(session.scalars(_BEGIN, page_params(generations) | options))


_LOCK = {"class": AdvisoryLock.EXTRACTION.value}
_BEGIN = SQL.begin.bindparams(**_LOCK)
_BINARY = dict.fromkeys(("compressed", "shared_lines", "lines"), LargeBinary)
_COLUMNS = {**_BINARY, "trace": JSONB}
_JOBS = SQL.jobs.bindparams(**_LOCK).columns(**_COLUMNS)
_ASSIGNED_JOBS = SQL.assigned_jobs.bindparams(**_LOCK, most=0).columns(**_COLUMNS)


def load(
    session: Session,
    generations: Mapping[int, int],
    *,
    max_attempts: int | None,
    readable_attempts: int,
) -> list[tuple[ExtractionJob, PageState]]:
    """Lock the pages that await extraction, until the transaction ends, and return their jobs.

    Pages that another process is extracting are excluded, and so are those with more than
    `max_attempts` attempts. After more than `readable_attempts`, a page's content is not read.
    """
    limits = {"most": max_attempts, "readable": readable_attempts}
    rows = session.execute(_JOBS, page_params(generations) | limits).all()
    return _jobs_of(rows, readable_attempts)


def load_assigned(
    session: Session, assigned: Sequence[AssignedPage]
) -> list[tuple[ExtractionJob, PageState]]:
    """Lock and load, like `load`, pages whose memberships are yet to be stored.

    Pages that were attempted before are excluded.
    """
    rows = session.execute(_ASSIGNED_JOBS, member_params(assigned) | {"readable": 0}).all()
    return _jobs_of(rows, readable_attempts=0)


def _jobs_of(
    rows: Sequence[Row[Any]], readable_attempts: int
) -> list[tuple[ExtractionJob, PageState]]:
    jobs = []
    stored = {
        each.page_id: StoredContent(each.compressed, each.object_url, each.is_text)
        for each in rows
        if each.attempt <= readable_attempts and each.is_text is not None
    }
    contents = dict(zip(stored, read_contents(list(stored.values())), strict=True))
    for row in rows:
        if row.attempt <= readable_attempts and row.page_id not in contents:
            continue
        columns = row._asdict()
        template_page = TemplatePage(
            row.template_page_id, row.template_url, row.template_type, row.template_digest
        )
        job = ExtractionJob(
            **{name: columns[name] for name in _JOB_COLUMNS},
            content=contents.get(row.page_id),
            group_size=row.size or 1,
            template_page=template_page if row.template_page_id is not None else None,
        )
        addresses = parse_page_addresses(row.addresses)
        state = {name: columns[name] for name in _STATE_COLUMNS}
        jobs.append((job, PageState(**state, addresses=addresses)))
    return jobs


_JOB_COLUMNS = {each.name for each in fields(ExtractionJob)}
_JOB_COLUMNS -= {"content", "group_size", "template_page", "learned"}
_STATE_COLUMNS = {*PageState._fields} - {"addresses"}


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
    removable_lines: bytes
    comment_vote: str | None
    version: int

    @property
    def has_article(self) -> bool:
        """Whether the page has an article, possibly from before it showed a wall or was gone."""
        is_inaccessible = self.outcome in (PageOutcome.WALL, PageOutcome.GONE)
        return self.outcome == PageOutcome.ARTICLE or (is_inaccessible and self.revision > 0)


def save_results(
    session: Session,
    results: Sequence[ExtractionResult],
    revisions: Sequence[NewRevision],
    single_page_ids: Sequence[int],
    assigned: Sequence[AssignedPage] = (),
) -> set[int]:
    """Store the results and revisions of pages that have not changed; return these pages' IDs.

    The memberships and distances of `assigned` pages are stored, too.
    """
    columns = map(list, zip(*results, strict=True))  # one list per field, as the query expects
    values = dict(zip(ExtractionResult._fields, columns, strict=True))
    params = {**values, "others": list(single_page_ids), **revision_params(revisions)}
    if not assigned:
        return set(session.scalars(SQL.save_results, params))
    params |= member_params(assigned) | distance_params(distances_of(assigned))
    return set(session.scalars(SQL.save_assigned, params))


def find_late(
    session: Session, lanes: Sequence[str], *, patience_seconds: float, limit: int
) -> list[tuple[int, int]]:
    """Return overdue extractions, as page IDs and generations, that are not in the outbox."""
    params = {"lanes": list(lanes), "patience": patience_seconds, "limit": limit}
    return [(page_id, generation) for page_id, generation in session.execute(SQL.find_late, params)]


MAX_COUNTED = 100  # maximum number of pages returned per text, as every page may show a wall

_PAGES_WITH_SHORT_TEXTS = SQL.pages_with_short_texts.bindparams(max_counted=MAX_COUNTED)


def pages_with_short_texts(
    session: Session, site_id: int, texts: Collection[bytes]
) -> dict[bytes, set[int]]:
    """Return the IDs of a site's pages with the given short texts, by text.

    A lock serialises the counts of a site, so that the last of several concurrent transactions sees
    the pages of all the others.
    """
    lock = {"class": AdvisoryLock.SHORT_TEXTS.value, "site_id": site_id}
    session.execute(SQL.lock_short_texts, lock)
    rows = session.execute(_PAGES_WITH_SHORT_TEXTS, {"site_id": site_id, "texts": list(texts)})
    page_ids: defaultdict[bytes, set[int]] = defaultdict(set)
    for short_text, page_id in rows:
        page_ids[bytes(short_text)].add(page_id)
    return page_ids


def lock_articles(session: Session, page_ids: Sequence[int]) -> Mapping[int, list[int]]:
    """Lock the given pages whose outcome is an article, and return their IDs by generation.

    Pages locked by another transaction are skipped, since that transaction handles them itself.
    """
    by_generation: defaultdict[int, list[int]] = defaultdict(list)
    for generation, page_id in session.execute(SQL.lock_articles, {"ids": list(page_ids)}):
        by_generation[generation].append(page_id)
    return by_generation
