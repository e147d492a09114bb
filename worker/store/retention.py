"""Removal of expired data, in small transactions."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeAlias

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    any_,
    delete,
    exists,
    func,
    not_,
    or_,
    select,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from models.tables import (
    Article,
    FollowedRequest,
    Generation,
    GroupRepresentative,
    Membership,
    PageContent,
    Receipt,
    ReferenceSet,
    SiteComparison,
    StoredPage,
    StoredTree,
    TaskFailure,
    TemplateGroup,
)
from worker.outcomes import PageOutcome
from worker.store.pages import is_pending
from worker.store.removable import Kind

KEPT_OUTCOMES = (PageOutcome.FAILED, PageOutcome.NEEDS_RENDERING)
"""Outcomes of pages whose HTML is retained: a later version, or a browser, may extract them."""

WINDOW = 1000
"""Number of IDs examined per transaction. On 50,000 pages with 13 kB of compressed HTML each, a
window of HTML took 0.26 s (at most 0.5 s), and windows of other data less."""


@dataclass(frozen=True)
class Place:
    """Progress of a removal: the number of the rule, and the last ID examined."""

    rule: int = 0
    after: int = 0


@dataclass(frozen=True)
class Step:
    """Result of one transaction.

    ``removed`` is the number of rows removed, or removable in a dry run. ``following`` is where to
    continue, or None at the end.
    """

    kind: Kind
    removed: int
    following: Place | None


Column: TypeAlias = InstrumentedAttribute[int]


@dataclass(frozen=True)
class _Rule:
    """A rule that determines the removable rows of one table.

    ``windows`` is the primary key whose values are scanned window by window; ``key`` is the column
    with the same IDs in the table from which rows are removed.
    """

    kind: Kind
    windows: Column
    key: Column
    is_removable: Callable[[timedelta], ColumnElement[bool]]

    def remove(self, session: Session, keys: Collection[int], age: timedelta) -> int:
        """Remove the removable rows with these keys, which must be locked; return their number."""
        where = self.key.in_(keys) & self.is_removable(age)
        if self.kind != "html":
            return _rows(session.execute(delete(self.key.class_).where(where)))
        removed = session.scalars(
            update(StoredPage)
            .where(where)
            .values(html_removed_at=func.now())
            .returning(StoredPage.id)
        ).all()
        session.execute(delete(PageContent).where(PageContent.page_id.in_(removed)))
        return len(removed)


def _rows(result: Any) -> int:
    return int(result.rowcount)


def _html(age: timedelta) -> ColumnElement[bool]:
    membership = aliased(Membership)
    pivots = (
        exists()
        .where(
            TemplateGroup.site_id == StoredPage.site_id,
            TemplateGroup.generation == _last_generation(StoredPage.site_id),
            membership.page_id == TemplateGroup.representative_id,
            membership.generation == TemplateGroup.generation,
            or_(
                TemplateGroup.representative_id == StoredPage.id,
                membership.pivot_id == StoredPage.id,
            ),
        )
        .correlate(StoredPage)
    )
    return (
        StoredPage.html_removed_at.is_(None)
        & not_(is_pending())
        & StoredPage.outcome.not_in(KEPT_OUTCOMES)
        & exists().where(
            PageContent.page_id == StoredPage.id, PageContent.stored_at <= func.now() - age
        )
        & ~pivots
    )


def _superseded(age: timedelta) -> ColumnElement[bool]:
    last = select(StoredPage.revision).where(StoredPage.id == Article.page_id).scalar_subquery()
    return (Article.revision < last) & (Article.created_at <= func.now() - age)


def _past_place(_age: timedelta) -> ColumnElement[bool]:
    # A page that arrived during a clustering still belongs to the preceding generation.
    current = select(StoredPage.generation).where(StoredPage.id == Membership.page_id)
    return Membership.generation < current.scalar_subquery()


def _past_representative(_age: timedelta) -> ColumnElement[bool]:
    return GroupRepresentative.generation < _last_generation(GroupRepresentative.site_id)


def _orphan(_age: timedelta) -> ColumnElement[bool]:
    return not_(
        exists().where(StoredPage.tree_id == StoredTree.id)
        | exists().where(GroupRepresentative.tree_id == StoredTree.id)
        | exists().where(StoredTree.id == any_(SiteComparison.tree_ids))
        | exists().where(StoredTree.id == any_(ReferenceSet.tree_ids))
    )


def _old_receipt(age: timedelta) -> ColumnElement[bool]:
    return Receipt.received_at <= func.now() - age


def _old_failure(age: timedelta) -> ColumnElement[bool]:
    return TaskFailure.failed_at <= func.now() - age


def _old_request(age: timedelta) -> ColumnElement[bool]:
    return FollowedRequest.followed_at <= func.now() - age


def _last_generation(site_id: Column) -> ScalarSelect[int]:
    last = select(func.coalesce(func.max(Generation.number), 0))
    return last.where(Generation.site_id == site_id).scalar_subquery()


_RULES = (
    _Rule("html", StoredPage.id, StoredPage.id, _html),
    _Rule("revisions", StoredPage.id, Article.page_id, _superseded),
    _Rule("groups", StoredPage.id, Membership.page_id, _past_place),
    _Rule("groups", GroupRepresentative.tree_id, GroupRepresentative.tree_id, _past_representative),
    _Rule("trees", StoredTree.id, StoredTree.id, _orphan),
    _Rule("receipts", Receipt.id, Receipt.id, _old_receipt),
    _Rule("receipts", TaskFailure.id, TaskFailure.id, _old_failure),
    _Rule("receipts", FollowedRequest.id, FollowedRequest.id, _old_request),
)


def first_place(kinds: Collection[Kind]) -> Place | None:
    """Return where to start removing the given kinds, or None if there are none."""
    return _place_from(0, kinds)


def _place_from(rule: int, kinds: Collection[Kind]) -> Place | None:
    for number, each in enumerate(_RULES[rule:], start=rule):
        if each.kind in kinds:
            return Place(number)
    return None


def prune(
    session: Session, place: Place, *, kinds: Collection[Kind], days: float, dry_run: bool = False
) -> Step:
    """Scan one window of IDs and remove the removable rows, or only count them if ``dry_run``.

    ``days`` is the minimum age, for kinds that depend on age. Rows locked by another transaction
    remain until the next run.
    """
    rule = _RULES[place.rule]
    age = timedelta(days=days)
    window = (
        select(rule.windows).where(rule.windows > place.after).order_by(rule.windows).limit(WINDOW)
    )
    last = session.scalar(select(func.max(window.subquery().c[0])))
    if last is None:
        return Step(rule.kind, 0, _place_from(place.rule + 1, kinds))
    inside = rule.key.between(place.after + 1, last)
    following = Place(place.rule, last)
    if dry_run:
        number = session.scalar(
            select(func.count()).select_from(rule.key.class_).where(inside, rule.is_removable(age))
        )
        return Step(rule.kind, number or 0, following)
    # Rows that another transaction is about to use are locked by it, and skipped here. Once rows
    # are locked here, no other transaction can start using them, and the removal sees the effects
    # of all transactions that have ended.
    locked = session.scalars(
        select(rule.key)
        .where(inside, rule.is_removable(age))
        .with_for_update(of=rule.key.class_, skip_locked=True)
    ).all()
    return Step(rule.kind, rule.remove(session, locked, age), following)
