"""Removal of data older than a given age, and of sites, in small transactions."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import TextClause, delete, func, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import InstrumentedAttribute, Session

from detourage.expected_errors import ExpectedError
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
from worker.store import pages
from worker.store.advisory_locks import AdvisoryLock
from worker.store.database import Database
from worker.store.page_objects import SHARDS, page_objects, shard_of
from worker.store.queries import Statements
from worker.store.retention_kinds import Kind

SQL = Statements("retention")

WINDOW_SIZE = 1000  # number of IDs examined per transaction, which takes less than a second


class Cursor(NamedTuple):
    """Progress of a removal: the index of a rule, and the last ID examined or the next shard."""

    rule: int = 0
    after: int = 0


class Step(NamedTuple):
    """Number of rows removed, or removable in a dry run; ``next_cursor`` is None at the end."""

    kind: Kind
    removed: int
    next_cursor: Cursor | None


@dataclass(frozen=True)
class _Rule:
    """A rule for the removable rows of one table; `is_removable` may have a parameter `age`."""

    kind: Kind
    window_key: InstrumentedAttribute[int]  # column whose values are read, `WINDOW_SIZE` at a time
    key: InstrumentedAttribute[int]  # column of the removable rows that has these values
    is_removable: TextClause

    def remove(self, session: Session, keys: Collection[int], age: timedelta) -> int:
        """Remove the removable rows with these keys, which must be locked; return their number."""
        where = (self.key.in_(keys), self.is_removable)
        if self.key is not StoredPage.id:
            result: Any = session.execute(delete(self.key.class_).where(*where), {"age": age})
            return int(result.rowcount)
        removing = update(StoredPage).where(*where).values(html_removed_at=func.now())
        removed = session.scalars(removing.returning(StoredPage.id), {"age": age}).all()
        session.execute(delete(PageContent).where(PageContent.page_id.in_(removed)))
        return len(removed)


_TREE = GroupRepresentative.tree_id  # used twice in a rule below
_RULES = (
    _Rule("html", StoredPage.id, StoredPage.id, SQL.html_is_removable),
    _Rule("revisions", StoredPage.id, Article.page_id, SQL.is_superseded),
    _Rule("groups", StoredPage.id, Membership.page_id, SQL.membership_is_superseded),
    _Rule("groups", _TREE, _TREE, SQL.representative_is_superseded),
    _Rule("trees", StoredTree.id, StoredTree.id, SQL.tree_is_unused),
    _Rule("receipts", Receipt.id, Receipt.id, text("received_at <= now() - :age")),
    _Rule("receipts", TaskFailure.id, TaskFailure.id, text("failed_at <= now() - :age")),
    _Rule("receipts", FollowedRequest.id, FollowedRequest.id, text("followed_at <= now() - :age")),
)

OBJECTS = len(_RULES)
"""Index of the rule for objects; `Cursor.after` is then the number of the next shard."""

_KINDS: tuple[Kind, ...] = (*(rule.kind for rule in _RULES), "objects")


def first_cursor(kinds: Collection[Kind], rule: int = 0) -> Cursor | None:
    """Return the start of the first rule, from index ``rule``, that removes one of the kinds."""
    later = range(rule, len(_KINDS))
    return next((Cursor(number) for number in later if _KINDS[number] in kinds), None)


def prune(
    session: Session, cursor: Cursor, *, kinds: Collection[Kind], days: float, dry_run: bool = False
) -> Step:
    """Remove the removable rows in the next window, except those locked by other transactions.

    A dry run only counts the removable rows, including locked ones.
    """
    rule = _RULES[cursor.rule]
    age = timedelta(days=days)
    window_key = rule.window_key
    window = select(window_key).where(window_key > cursor.after).order_by(window_key)
    last = session.scalar(select(func.max(window.limit(WINDOW_SIZE).subquery().c[0])))
    if last is None:
        return Step(rule.kind, 0, first_cursor(kinds, cursor.rule + 1))
    next_cursor = Cursor(cursor.rule, last)
    removable = (rule.key.between(cursor.after + 1, last), rule.is_removable)
    if dry_run:
        counting = select(func.count()).select_from(rule.key.class_).where(*removable)
        return Step(rule.kind, session.scalar(counting, {"age": age}) or 0, next_cursor)
    # Skip rows that another transaction has locked in order to use them. No transaction can start
    # using the rows locked here, and the removal sees the effects of all completed transactions.
    locked = session.scalars(
        select(rule.key).where(*removable).with_for_update(of=rule.key.class_, skip_locked=True),
        {"age": age},
    ).all()
    return Step(rule.kind, rule.remove(session, locked, age), next_cursor)


def _delete_unused(session: Session, store_url: str, urls: Sequence[str], *, dry_run: bool) -> int:
    """Delete objects of a shard to which no page refers, unless the shard is being written to."""
    query = SQL.unused_objects
    unused = session.scalars(query, {"urls": urls}).all()
    if not unused or dry_run:
        return len(unused)
    shard = {"class": AdvisoryLock.PAGE_OBJECTS.value, "shard": shard_of(unused[0])}
    if not session.scalar(SQL.lock_shard, shard):
        return 0
    # Before the lock was taken, a page may have been stored with one of the objects.
    unused = session.scalars(query, {"urls": unused}).all()
    page_objects(store_url).delete(unused)
    return len(unused)


def prune_in_steps(
    database: Database,
    kinds: Collection[Kind],
    days: float,
    *,
    store_url: str = "",
    begin: Cursor | None = None,
    dry_run: bool = False,
) -> Iterator[Step]:
    """Remove expired data in steps, each of which is one transaction or shard of objects."""
    cursor = begin or first_cursor(kinds)
    while cursor is not None:
        if cursor.rule < OBJECTS:
            step = database.run(prune, cursor, kinds=kinds, days=days, dry_run=dry_run)
        elif not store_url:
            step = Step("objects", 0, None)
        else:
            shard = cursor.after
            removed = sum(
                database.run(_delete_unused, store_url, urls, dry_run=dry_run)
                for urls in page_objects(store_url).list_urls(shard)
            )
            next_cursor = Cursor(OBJECTS, shard + 1) if shard + 1 < SHARDS else None
            step = Step("objects", removed, next_cursor)
        yield step
        cursor = step.next_cursor


class SiteDeletionError(ExpectedError):
    """A site cannot be deleted."""


PAGES_AT_ONCE = 20  # number of pages of a deleted site per transaction


def delete_site(database: Database, name: str) -> int:
    """Delete a site; return its number of pages. An interrupted deletion can be repeated."""
    site_id = database.run(_site_id_of, name)
    deleted = 0
    with database.try_lock(AdvisoryLock.CLUSTERING, site_id) as is_locked:
        if not is_locked:
            raise SiteDeletionError(f"{name} is being clustered: try again in a few minutes")
        database.execute(SQL.ungroup, site_id=site_id)
        while number := database.run(_delete_some_pages, site_id):
            deleted += number
        try:
            database.run(_delete_empty_site, site_id)
        except IntegrityError as error:
            raise SiteDeletionError(
                f"pages of {name} have arrived meanwhile: stop sending pages of the site, and"
                " delete it again"
            ) from error
    return deleted


def _site_id_of(session: Session, name: str) -> int:
    ids_by_key = {key: site_id for site_id, key in pages.sites_named(session, name).items()}
    if not ids_by_key:
        raise SiteDeletionError(f"site {name!r} is unknown")
    if name not in ids_by_key and len(ids_by_key) > 1:
        raise SiteDeletionError(f"several sites are called {name!r}: {', '.join(ids_by_key)}")
    return ids_by_key[name if name in ids_by_key else next(iter(ids_by_key))]


def _delete_some_pages(session: Session, site_id: int) -> int:
    params = {"site_id": site_id, "most": PAGES_AT_ONCE}
    deleted: Any = session.execute(SQL.delete_some_pages, params)
    return int(deleted.rowcount)


def _delete_empty_site(session: Session, site_id: int) -> None:
    # The site may have been grouped again while its pages were deleted.
    session.execute(SQL.ungroup, {"site_id": site_id})
    session.execute(SQL.delete_site, {"site_id": site_id})
