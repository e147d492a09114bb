"""Removal of expired data, in small transactions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, TextClause, and_, delete, func, not_, select, text, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from detourage.outcomes import PageOutcome
from models.tables import (
    Article,
    FollowedRequest,
    GroupRepresentative,
    Membership,
    PageContent,
    Receipt,
    StoredPage,
    StoredTree,
    TaskFailure,
)
from worker.store.database import AdvisoryLock, Database, sql
from worker.store.page_objects import SHARDS, page_objects, shard_of
from worker.store.pages import is_pending
from worker.store.removable import Kind

KEPT_OUTCOMES = (PageOutcome.FAILED, PageOutcome.NEEDS_RENDERING)
"""Outcomes of pages whose HTML is retained, since a later release may extract their articles."""

WINDOW = 1000
"""Number of IDs examined per transaction, which takes less than a second."""


@dataclass(frozen=True)
class Place:
    """Progress of a removal: the number of the rule, and the last ID examined."""

    rule: int = 0
    after: int = 0


@dataclass(frozen=True)
class Step:
    """Number of rows removed (or removable, in a dry run) by one transaction, and the next place.

    ``following`` is None at the end.
    """

    kind: Kind
    removed: int
    following: Place | None


Column: TypeAlias = InstrumentedAttribute[int]


@dataclass(frozen=True)
class _Rule:
    """A rule that determines the removable rows of one table.

    ``windows`` is the column scanned window by window, and ``key`` the column with the same IDs in
    the table from which rows are removed. ``is_removable`` may bind ``age``.
    """

    kind: Kind
    windows: Column
    key: Column
    is_removable: ColumnElement[bool] | TextClause

    def remove(self, session: Session, keys: Collection[int], age: timedelta) -> int:
        """Remove the removable rows with these keys, which must be locked; return their number."""
        where = (self.key.in_(keys), self.is_removable)
        if self.key is not StoredPage.id:
            result: Any = session.execute(delete(self.key.class_).where(*where), {"age": age})
            return int(result.rowcount)
        removed = session.scalars(
            update(StoredPage)
            .where(*where)
            .values(html_removed_at=func.now())
            .returning(StoredPage.id),
            {"age": age},
        ).all()
        session.execute(delete(PageContent).where(PageContent.page_id.in_(removed)))
        return len(removed)


_RULES = (
    _Rule(
        "html",
        StoredPage.id,
        StoredPage.id,
        and_(
            StoredPage.html_removed_at.is_(None),
            not_(is_pending()),
            StoredPage.outcome.not_in(KEPT_OUTCOMES),
            text("""
                EXISTS (
                    SELECT FROM page_contents
                    WHERE page_id = pages.id AND stored_at <= now() - :age
                ) AND NOT EXISTS (
                    SELECT FROM template_groups JOIN memberships
                        ON memberships.page_id = representative_id
                        AND memberships.generation = template_groups.generation
                    WHERE template_groups.site_id = pages.site_id
                        AND template_groups.generation = (
                            SELECT max(number) FROM generations WHERE site_id = pages.site_id
                        )
                        AND (representative_id = pages.id OR pivot_id = pages.id)
                )
            """),
        ),
    ),
    _Rule(
        "revisions",
        StoredPage.id,
        Article.page_id,
        text("""
            articles.revision < (SELECT revision FROM pages WHERE id = articles.page_id)
            AND created_at <= now() - :age
        """),
    ),
    _Rule(
        "groups",
        StoredPage.id,
        Membership.page_id,
        # A page that arrived during a clustering still belongs to the preceding generation.
        text("memberships.generation < (SELECT generation FROM pages WHERE id = page_id)"),
    ),
    _Rule(
        "groups",
        GroupRepresentative.tree_id,
        GroupRepresentative.tree_id,
        text("""
            generation < (
                SELECT max(number) FROM generations
                WHERE site_id = group_representatives.site_id
            )
        """),
    ),
    _Rule(
        "trees",
        StoredTree.id,
        StoredTree.id,
        text("""
            NOT EXISTS (SELECT FROM pages WHERE tree_id = trees.id)
            AND NOT EXISTS (SELECT FROM group_representatives WHERE tree_id = trees.id)
            AND NOT EXISTS (SELECT FROM site_comparisons WHERE trees.id = ANY (tree_ids))
            AND NOT EXISTS (SELECT FROM reference_sets WHERE trees.id = ANY (tree_ids))
        """),
    ),
    _Rule("receipts", Receipt.id, Receipt.id, text("received_at <= now() - :age")),
    _Rule("receipts", TaskFailure.id, TaskFailure.id, text("failed_at <= now() - :age")),
    _Rule("receipts", FollowedRequest.id, FollowedRequest.id, text("followed_at <= now() - :age")),
)


OBJECTS = len(_RULES)
"""Number of the rule for objects; the IDs of its `Place` are numbers of shards."""

_KINDS: tuple[Kind, ...] = (*(rule.kind for rule in _RULES), "objects")


def first_place(kinds: Collection[Kind], rule: int = 0) -> Place | None:
    """Return the place from which to remove the given kinds, starting at a rule, or None."""
    later = range(rule, len(_KINDS))
    return next((Place(number) for number in later if _KINDS[number] in kinds), None)


def prune(
    session: Session, place: Place, *, kinds: Collection[Kind], days: float, dry_run: bool = False
) -> Step:
    """Scan one window of IDs and remove the removable rows, or only count them if ``dry_run``.

    ``days`` is the minimum age. Rows locked by another transaction remain until the next run.
    """
    rule = _RULES[place.rule]
    age = timedelta(days=days)
    window = (
        select(rule.windows).where(rule.windows > place.after).order_by(rule.windows).limit(WINDOW)
    )
    last = session.scalar(select(func.max(window.subquery().c[0])))
    if last is None:
        return Step(rule.kind, 0, first_place(kinds, place.rule + 1))
    inside = rule.key.between(place.after + 1, last)
    following = Place(place.rule, last)
    removable = (inside, rule.is_removable)
    if dry_run:
        counting = select(func.count()).select_from(rule.key.class_).where(*removable)
        return Step(rule.kind, session.scalar(counting, {"age": age}) or 0, following)
    # Skip rows that another transaction is about to use. Once locked here, rows cannot become used,
    # and the removal sees the effects of all completed transactions.
    locked = session.scalars(
        select(rule.key).where(*removable).with_for_update(of=rule.key.class_, skip_locked=True),
        {"age": age},
    ).all()
    return Step(rule.kind, rule.remove(session, locked, age), following)


_UNUSED = sql("""
    SELECT url FROM unnest(CAST(:urls AS text[])) AS listed (url)
    WHERE NOT EXISTS (SELECT FROM page_contents WHERE object_url = url)
""")
_LOCK_SHARD = sql("SELECT pg_try_advisory_xact_lock(:class, :shard)")


def prune_shard(database: Database, store_url: str, shard: int, *, dry_run: bool = False) -> Step:
    """Delete the objects of one shard that contain no page's HTML, or only count them.

    ``store_url`` is empty if there is no object store.
    """
    if not store_url:
        return Step("objects", 0, None)
    delete_unused = partial(_delete_unused, store_url=store_url, dry_run=dry_run)
    removed = sum(
        database.run(partial(delete_unused, urls=urls))
        for urls in page_objects(store_url).listed(shard)
    )
    return Step("objects", removed, Place(OBJECTS, shard + 1) if shard + 1 < SHARDS else None)


def _delete_unused(session: Session, store_url: str, urls: Sequence[str], *, dry_run: bool) -> int:
    """Delete those of a shard's objects that contain no page's HTML, and return their number.

    If the shard is in use, its objects remain until the next run.
    """
    unused = session.scalars(_UNUSED, {"urls": urls}).all()
    if not unused or dry_run:
        return len(unused)
    shard = {"class": AdvisoryLock.PAGE_OBJECTS.value, "shard": shard_of(unused[0])}
    if not session.scalar(_LOCK_SHARD, shard):
        return 0
    # Before the lock was taken, a page may have been stored with one of the objects.
    unused = session.scalars(_UNUSED, {"urls": unused}).all()
    page_objects(store_url).delete(unused)
    return len(unused)
