"""Extraction jobs: which pages await extraction, and how workers start and finish it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Float,
    Integer,
    LargeBinary,
    Select,
    Text,
    Update,
    and_,
    bindparam,
    cast,
    exists,
    func,
    select,
    update,
)
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql.dml import ReturningUpdate

from models.tables import (
    Article,
    Membership,
    OutboxEntry,
    PageContent,
    Site,
    StoredPage,
    TemplateGroup,
)
from worker.addresses import PageAddress
from worker.html import Answer
from worker.outcomes import PageOutcome
from worker.store import addresses
from worker.store.groups import is_of_membership
from worker.store.packing import unpack_content
from worker.store.pages import is_asked_for, is_pending
from worker.store.statements import rows_only

MAX_ATTEMPTS: Final = 2**31 - 1
"""Maximum value of the column that counts attempts."""


def await_extraction(
    session: Session, page_ids: Sequence[int], generation: int
) -> list[tuple[int, bool]]:
    """Mark pages as awaiting extraction with a generation, even if already extracted with it.

    Returns pairs of page ID, ascending, and whether the page has an outcome. Pages without a tree
    or HTML are excluded.
    """
    values = {"page_ids": list(page_ids), "new_generation": generation}
    return sorted(
        (page_id, has_outcome) for page_id, has_outcome in session.execute(_AWAIT, values)
    )


_GENERATION = bindparam("new_generation", type_=Integer)
_AWAIT = rows_only(
    update(StoredPage)
    .where(
        StoredPage.id == func.any(bindparam("page_ids", type_=ARRAY(BigInteger))),
        StoredPage.tree_id.is_not(None),
        StoredPage.html_removed_at.is_(None),
    )
    .values(
        generation=_GENERATION,
        extracted_generation=_GENERATION - 1,
        asked_at=func.now(),
        attempts=0,
    )
    .returning(StoredPage.id, StoredPage.outcome.is_not(None))
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)


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

    ``attempt`` is the number of times it has been started, including this one. ``group_size`` is
    the number of pages in the page's group, and ``group_pattern`` the group's
    `TemplateGroup.comment_pattern`. ``content`` is the page as fetched, and ``answer`` the HTTP
    response that contained it.
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


_ASKED = (
    func.unnest(
        bindparam("pages", type_=ARRAY(BigInteger)), bindparam("generations", type_=ARRAY(Integer))
    )
    .table_valued("page_id", "generation", name="asked")
    .render_derived()
)


def _beginning() -> ReturningUpdate[*tuple[Any, ...]]:
    due = (
        select(StoredPage.id)
        .join(
            _ASKED,
            and_(StoredPage.id == _ASKED.c.page_id, StoredPage.generation == _ASKED.c.generation),
        )
        .where(
            StoredPage.tree_id.is_not(None),
            is_pending(),
            StoredPage.attempts <= bindparam("earlier", type_=Integer),
        )
        # Transactions that lock the same pages in different orders would deadlock.
        .order_by(StoredPage.id)
        .with_for_update(of=StoredPage)
        .cte("due")
    )
    return (
        update(StoredPage)
        .where(StoredPage.id == due.c.id)
        .values(attempts=StoredPage.attempts + 1)
        .returning(
            StoredPage.id,
            StoredPage.url,
            StoredPage.content_type,
            StoredPage.fetched_at,
            StoredPage.content_digest,
            StoredPage.comment_pattern,
            StoredPage.extra,
            StoredPage.attempts,
        )
        .execution_options(synchronize_session=False)
    )


def _placing() -> Select[*tuple[Any, ...]]:
    pivot = aliased(StoredPage)
    return (
        select(
            Membership.page_id,
            Site.key,
            PageContent.compressed,
            PageContent.is_text,
            Membership.generation,
            Membership.group_number,
            Membership.role,
            TemplateGroup.size,
            TemplateGroup.comment_pattern,
            pivot.id,
            pivot.url,
            pivot.content_type,
            pivot.content_digest,
        )
        .select_from(Membership)
        .join(
            _ASKED,
            and_(
                Membership.page_id == _ASKED.c.page_id,
                Membership.generation == _ASKED.c.generation,
            ),
        )
        .join(Site, Site.id == Membership.site_id)
        .join(PageContent, PageContent.page_id == Membership.page_id)
        .outerjoin(TemplateGroup, is_of_membership())
        .outerjoin(pivot, pivot.id == Membership.pivot_id)
    )


_BEGIN = rows_only(_beginning())
_PLACES = rows_only(_placing())


def _asked(wanted: Mapping[int, int]) -> dict[str, list[int]]:
    return {"pages": list(wanted), "generations": list(wanted.values())}


def begin(
    session: Session, wanted: Mapping[int, int], *, earlier_attempts: int | None = None
) -> list[ExtractionJob]:
    """Count an attempt for each extraction that is still awaited, and return the jobs.

    ``wanted`` maps page IDs to generations. Pages with more than ``earlier_attempts`` attempts are
    excluded.
    """
    # Two statements instead of eight: every round trip costs half a millisecond.
    earlier = MAX_ATTEMPTS if earlier_attempts is None else earlier_attempts
    begun = {row.id: row for row in session.execute(_BEGIN, {**_asked(wanted), "earlier": earlier})}
    if not begun:
        return []
    due = {page_id: wanted[page_id] for page_id in begun}
    found = []
    for row in session.execute(_PLACES, _asked(due)):
        page_id, site_key, compressed, is_text, generation, group, role, size, pattern, *of = row
        _, url, content_type, fetched_at, content_digest, comment_pattern, extra, attempt = begun[
            page_id
        ]
        found.append(
            ExtractionJob(
                page_id=page_id,
                url=url,
                content_type=content_type,
                fetched_at=fetched_at,
                content_digest=content_digest,
                comment_pattern=comment_pattern,
                answer=Answer.of(extra),
                attempt=attempt,
                site_key=site_key,
                content=unpack_content(compressed, is_text),
                generation=generation,
                group_number=group,
                role=role,
                group_size=size or 1,
                group_pattern=pattern,
                pivot=Pivot(*of) if of[0] is not None else None,
            )
        )
    return found


def begun_before(session: Session, wanted: Mapping[int, int]) -> dict[int, list[int]]:
    """Return the waiting pages whose extraction has been started before, by site ID."""
    rows = session.execute(
        select(StoredPage.site_id, StoredPage.id)
        .join(
            _ASKED,
            and_(StoredPage.id == _ASKED.c.page_id, StoredPage.generation == _ASKED.c.generation),
        )
        .where(StoredPage.tree_id.is_not(None), is_pending(), StoredPage.attempts > 0)
        .order_by(StoredPage.id),
        _asked(wanted),
    )
    by_site: dict[int, list[int]] = {}
    for site_id, page_id in rows:
        by_site.setdefault(site_id, []).append(page_id)
    return by_site


@dataclass(frozen=True)
class PageState:
    """The current state of a page awaiting extraction, used to detect concurrent changes.

    ``pivot_id`` is the page to compare it with, ``last_digest`` the digest of its latest article.
    """

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


def _locking() -> Select[*tuple[Any, ...]]:
    return (
        select(
            StoredPage.id,
            StoredPage.site_id,
            StoredPage.url,
            StoredPage.crawler_id,
            StoredPage.fetched_at,
            StoredPage.content_digest,
            StoredPage.forced,
            StoredPage.revision,
            StoredPage.refused,
        )
        .join(
            _ASKED,
            and_(StoredPage.id == _ASKED.c.page_id, StoredPage.generation == _ASKED.c.generation),
        )
        .where(is_pending())
        .order_by(StoredPage.id)
        .with_for_update(of=StoredPage)
    )


def _last_articles() -> Select[*tuple[Any, ...]]:
    last_digest = (
        select(Article.content_digest)
        .where(Article.page_id == Membership.page_id)
        .order_by(Article.revision.desc())
        .limit(1)
        .scalar_subquery()
    )
    return select(Membership.page_id, Membership.pivot_id, last_digest).join(
        _ASKED,
        and_(Membership.page_id == _ASKED.c.page_id, Membership.generation == _ASKED.c.generation),
    )


_LOCK = rows_only(_locking())
_LAST_ARTICLES = rows_only(_last_articles())


def lock_pages(session: Session, wanted: Mapping[int, int]) -> dict[int, PageState]:
    """Lock the pages that still await the given extractions, and return their states by ID.

    ``wanted`` maps page IDs to generations.
    """
    locked = {page_id: rest for page_id, *rest in session.execute(_LOCK, _asked(wanted))}
    # These are read after locking, since the previous holder of the lock may have changed them.
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


def _noting() -> Update:
    types = (BigInteger, Integer, Text, Text, Text, Integer, Float, LargeBinary)
    new = (
        func.unnest(
            *(
                bindparam(f"new_{name}", type_=ARRAY(of))
                for name, of in zip(ExtractionResult._fields, types, strict=True)
            )
        )
        .table_valued(*ExtractionResult._fields, name="new")
        .render_derived()
    )
    return (
        update(StoredPage)
        .where(StoredPage.id == new.c.page_id)
        .values(
            extracted_generation=new.c.generation,
            extraction_key=new.c.extraction_key,
            outcome=new.c.outcome,
            outcome_detail=new.c.outcome_detail,
            revision=new.c.revision,
            confidence=new.c.confidence,
            short_text=new.c.short_text,
            forced=False,
        )
        .execution_options(synchronize_session=False, dml_strategy="core_only")
    )


_NOTE = rows_only(_noting())


def save_results(session: Session, results: Sequence[ExtractionResult]) -> None:
    """Store the extraction results of pages, which must be locked."""
    columns = zip(ExtractionResult._fields, zip(*results, strict=True), strict=True)
    session.execute(_NOTE, {f"new_{name}": list(column) for name, column in columns})


def _is_late(lanes: Sequence[str], patience_seconds: float) -> ColumnElement[bool]:
    """Condition: the page's extraction is overdue, and its request is not in the outbox."""
    waiting = exists().where(
        OutboxEntry.lane.in_(lanes),
        cast(OutboxEntry.arguments["page_id"].astext, BigInteger) == StoredPage.id,
    )
    return and_(
        is_asked_for(),
        StoredPage.tree_id.is_not(None),
        StoredPage.asked_at <= func.now() - timedelta(seconds=patience_seconds),
        ~waiting,
    )


def find_late(
    session: Session, lanes: Sequence[str], *, patience_seconds: float, limit: int
) -> list[tuple[int, int]]:
    """Return overdue extractions as page IDs with generations.

    Extractions still in the outbox, in ``lanes``, are excluded.
    """
    late = (
        select(StoredPage.id, StoredPage.generation)
        .where(_is_late(lanes, patience_seconds))
        .order_by(StoredPage.id)
        .limit(limit)
    )
    return [(page_id, generation) for page_id, generation in session.execute(late)]


def take_late(
    session: Session, lanes: Sequence[str], suspects: Mapping[int, int], *, patience_seconds: float
) -> dict[int, list[tuple[int, int]]]:
    """Return the overdue extractions among ``suspects``, by site ID; see `find_late`.

    Each page is returned with its generation, and counts as requested again. ``suspects`` maps page
    IDs to generations; ``lanes`` are the outbox lanes for extractions.
    """
    late = (
        select(StoredPage.id)
        .join(
            _ASKED,
            and_(StoredPage.id == _ASKED.c.page_id, StoredPage.generation == _ASKED.c.generation),
        )
        .where(_is_late(lanes, patience_seconds))
        .order_by(StoredPage.id)
        .with_for_update(of=StoredPage, skip_locked=True)
    )
    rows = session.execute(
        update(StoredPage)
        .where(StoredPage.id.in_(late))
        .values(asked_at=func.now())
        .returning(StoredPage.site_id, StoredPage.id, StoredPage.generation)
        .execution_options(synchronize_session=False),
        _asked(suspects),
    )
    by_site: dict[int, list[tuple[int, int]]] = {}
    for site_id, page_id, generation in sorted(map(tuple, rows)):
        by_site.setdefault(site_id, []).append((page_id, generation))
    return by_site
