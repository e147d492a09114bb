"""Extraction jobs: which pages await extraction, and how workers start and finish it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import LargeBinary, text
from sqlalchemy.orm import Session

from worker.addresses import PageAddress
from worker.html import Answer
from worker.outcomes import PageOutcome
from worker.store import addresses
from worker.store.packing import unpack_content


def await_extraction(
    session: Session, page_ids: Sequence[int], generation: int
) -> list[tuple[int, bool]]:
    """Mark pages as awaiting extraction with a generation, even if already extracted with it.

    Returns pairs of page ID, ascending, and whether the page has an outcome, for pages with a tree
    and HTML.
    """
    rows = session.execute(_AWAIT, {"page_ids": list(page_ids), "new_generation": generation})
    return sorted((page_id, has_outcome) for page_id, has_outcome in rows)


_AWAIT = text("""
    UPDATE pages
    SET generation = :new_generation, extracted_generation = :new_generation - 1,
        asked_at = now(), attempts = 0
    WHERE id = ANY(CAST(:page_ids AS bigint[]))
        AND tree_id IS NOT NULL AND html_removed_at IS NULL
    RETURNING id, outcome IS NOT NULL
""")


@dataclass(frozen=True)
class Pivot:
    """The page with which another page is compared."""

    id: int
    url: str
    content_type: str | None
    content_digest: str


@dataclass(frozen=True)
class ExtractionJob:
    """An extraction that a worker has started, with everything it needs from the store.

    ``attempt`` counts this attempt, too. ``content`` is the page as fetched; ``group_pattern`` is
    `TemplateGroup.comment_pattern`.
    """

    page_id: int
    url: str
    content_type: str | None
    fetched_at: datetime | None
    content_digest: str
    comment_pattern: str | None
    answer: Answer
    attempt: int
    site_key: str
    content: bytes | str
    generation: int
    group_number: int | None
    role: str
    group_size: int
    group_pattern: str | None
    pivot: Pivot | None


_BEGIN = text("""
    WITH due AS (
        SELECT id FROM pages
        JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
            AS asked (id, generation) USING (id, generation)
        WHERE tree_id IS NOT NULL AND attempts <= coalesce(:earlier, attempts)
            AND (outcome IS NULL OR forced OR extracted_generation < generation)
        -- Transactions that lock the same pages in different orders would deadlock.
        ORDER BY id FOR UPDATE OF pages
    )
    UPDATE pages SET attempts = attempts + 1 FROM due WHERE pages.id = due.id
    RETURNING pages.id, url, content_type, fetched_at, content_digest, comment_pattern, extra,
        attempts
""")
_PLACES = text("""
    SELECT page_id, sites.key, compressed, is_text, memberships.generation, group_number, role,
        size, template_groups.comment_pattern AS group_pattern,
        pivot.id AS pivot_id, pivot.url, pivot.content_type, pivot.content_digest
    FROM memberships
    JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
        AS asked (page_id, generation) USING (page_id, generation)
    JOIN sites ON sites.id = memberships.site_id
    JOIN page_contents USING (page_id)
    LEFT JOIN template_groups
        ON (template_groups.site_id, template_groups.generation, number)
        = (memberships.site_id, memberships.generation, group_number)
    LEFT JOIN pages AS pivot ON pivot.id = memberships.pivot_id
""").columns(compressed=LargeBinary)


def _asked(wanted: Mapping[int, int]) -> dict[str, list[int]]:
    return {"pages": list(wanted), "generations": list(wanted.values())}


def begin(
    session: Session, wanted: Mapping[int, int], *, earlier_attempts: int | None = None
) -> list[ExtractionJob]:
    """Count an attempt for each extraction that is still awaited, and return the jobs.

    ``wanted`` maps page IDs to generations. Pages with more than ``earlier_attempts`` attempts are
    excluded.
    """
    due = {**_asked(wanted), "earlier": earlier_attempts}
    begun = {row.id: row for row in session.execute(_BEGIN, due)}
    if not begun:
        return []
    found = []
    for place in session.execute(_PLACES, _asked({page_id: wanted[page_id] for page_id in begun})):
        page = begun[place.page_id]
        pivot = (
            Pivot(place.pivot_id, place.url, place.content_type, place.content_digest)
            if place.pivot_id is not None
            else None
        )
        found.append(
            ExtractionJob(
                page_id=page.id,
                url=page.url,
                content_type=page.content_type,
                fetched_at=page.fetched_at,
                content_digest=page.content_digest,
                comment_pattern=page.comment_pattern,
                answer=Answer.of(page.extra),
                attempt=page.attempts,
                site_key=place.key,
                content=unpack_content(place.compressed, place.is_text),
                generation=place.generation,
                group_number=place.group_number,
                role=place.role,
                group_size=place.size or 1,
                group_pattern=place.group_pattern,
                pivot=pivot,
            )
        )
    return found


def begun_before(session: Session, wanted: Mapping[int, int]) -> dict[int, list[int]]:
    """Return the IDs of the waiting pages whose extraction has been started before, by site ID."""
    by_site: dict[int, list[int]] = {}
    for site_id, page_id in session.execute(_BEGUN_BEFORE, _asked(wanted)):
        by_site.setdefault(site_id, []).append(page_id)
    return by_site


_BEGUN_BEFORE = text("""
    SELECT site_id, id FROM pages
    JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
        AS asked (id, generation) USING (id, generation)
    WHERE tree_id IS NOT NULL AND attempts > 0
        AND (outcome IS NULL OR forced OR extracted_generation < generation)
    ORDER BY id
""")


def awaited(session: Session, page_ids: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
    """Return those of the given pages that await extraction, with their generations, by site ID."""
    by_site: dict[int, list[tuple[int, int]]] = {}
    for site_id, page_id, generation in session.execute(_AWAITED, {"pages": sorted(page_ids)}):
        by_site.setdefault(site_id, []).append((page_id, generation))
    return by_site


_AWAITED = text("""
    SELECT site_id, id, generation FROM pages
    WHERE id = ANY (:pages) AND tree_id IS NOT NULL AND generation IS NOT NULL
        AND (outcome IS NULL OR forced OR extracted_generation < generation)
    ORDER BY id
""")


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
    pivot_id: int | None
    last_digest: str | None
    addresses: Sequence[PageAddress] = ()


_LOCK = text("""
    SELECT id, site_id, url, crawler_id, fetched_at, content_digest, forced, revision, refused
    FROM pages
    JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
        AS asked (id, generation) USING (id, generation)
    WHERE outcome IS NULL OR forced OR extracted_generation < generation
    ORDER BY id FOR UPDATE OF pages
""")
_LAST_ARTICLES = text("""
    SELECT page_id, pivot_id, (
        SELECT content_digest FROM articles WHERE page_id = memberships.page_id
        ORDER BY revision DESC LIMIT 1
    )
    FROM memberships
    JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
        AS asked (page_id, generation) USING (page_id, generation)
""")


def lock_pages(session: Session, wanted: Mapping[int, int]) -> dict[int, PageState]:
    """Lock the pages that still await extraction (page ID to generation); return states by ID."""
    locked = {page_id: rest for page_id, *rest in session.execute(_LOCK, _asked(wanted))}
    # Read after locking, since the previous holder of the lock may have changed them.
    places = {page_id: rest for page_id, *rest in session.execute(_LAST_ARTICLES, _asked(wanted))}
    addresses_of = addresses.of_pages(session, list(locked))
    return {
        page_id: PageState(*(*of_page, *places[page_id], addresses_of[page_id]))
        for page_id, of_page in locked.items()
        if page_id in places
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
        """Whether the page's latest revision is current; see `worker.store.pages.has_article`."""
        is_missed = self.outcome in (PageOutcome.WALL, PageOutcome.GONE)
        return self.outcome == PageOutcome.ARTICLE or (is_missed and self.revision > 0)


def save_results(session: Session, results: Sequence[ExtractionResult]) -> None:
    """Store the extraction results of pages, which must be locked."""
    columns = map(list, zip(*results, strict=True))
    session.execute(_NOTE, dict(zip(ExtractionResult._fields, columns, strict=True)))


_NOTE = text("""
    UPDATE pages
    SET extracted_generation = new.generation, extraction_key = new.extraction_key,
        outcome = new.outcome, outcome_detail = new.outcome_detail, revision = new.revision,
        confidence = new.confidence, short_text = new.short_text, forced = false
    FROM unnest(
        CAST(:page_id AS bigint[]), CAST(:generation AS integer[]),
        CAST(:extraction_key AS text[]), CAST(:outcome AS text[]),
        CAST(:outcome_detail AS text[]), CAST(:revision AS integer[]),
        CAST(:confidence AS double precision[]), CAST(:short_text AS bytea[])
    ) AS new (
        page_id, generation, extraction_key, outcome, outcome_detail, revision, confidence,
        short_text
    )
    WHERE pages.id = new.page_id
""")


def find_late(
    session: Session, lanes: Sequence[str], *, patience_seconds: float, limit: int
) -> list[tuple[int, int]]:
    """Return overdue extractions as pairs of a page ID and a generation.

    They include pages with a generation that have waited for an outcome without any request.
    Extractions still in the outbox, in ``lanes``, are excluded.
    """
    wanted = {"lanes": list(lanes), "patience": patience_seconds, "limit": limit}
    return [(page_id, generation) for page_id, generation in session.execute(_FIND_LATE, wanted)]


_IS_LATE = """
    (extracted_generation < generation OR outcome IS NULL AND generation > 0
        AND waiting_since <= now() - make_interval(secs => :patience))
    AND tree_id IS NOT NULL AND html_removed_at IS NULL
    AND asked_at <= now() - make_interval(secs => :patience)
    AND NOT EXISTS (
        SELECT FROM outbox
        WHERE lane = ANY(CAST(:lanes AS text[]))
            AND CAST(arguments ->> 'page_id' AS bigint) = pages.id
    )
"""
_FIND_LATE = text(
    f"SELECT id, generation FROM pages WHERE {_IS_LATE} ORDER BY id LIMIT :limit"  # noqa: S608
)


def take_late(
    session: Session, lanes: Sequence[str], suspects: Mapping[int, int], *, patience_seconds: float
) -> dict[int, list[tuple[int, int]]]:
    """Mark overdue extractions as requested again, and return page and generation by site ID.

    ``suspects`` maps page IDs to generations; see `find_late`.
    """
    wanted = {"lanes": list(lanes), "patience": patience_seconds, **_asked(suspects)}
    by_site: dict[int, list[tuple[int, int]]] = {}
    for site_id, page_id, generation in sorted(map(tuple, session.execute(_TAKE_LATE, wanted))):
        by_site.setdefault(site_id, []).append((page_id, generation))
    return by_site


_TAKE_LATE = text(f"""
    UPDATE pages SET asked_at = now()
    WHERE id IN (
        SELECT id FROM pages
        JOIN unnest(CAST(:pages AS bigint[]), CAST(:generations AS integer[]))
            AS asked (id, generation) USING (id, generation)
        WHERE {_IS_LATE}
        ORDER BY id FOR UPDATE OF pages SKIP LOCKED
    )
    RETURNING site_id, id, generation
""")  # noqa: S608
