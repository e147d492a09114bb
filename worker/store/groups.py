"""Generations of template groups, their member pages, and the knowledge learned from pages."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import BigInteger, LargeBinary, select
from sqlalchemy.orm import Session

from models.tables import DesignChange
from worker.store.first_extractions import PROVISIONAL
from worker.store.outbox import TURNS
from worker.store.queries import Statements
from worker.store.trees import Distances, distance_params

SQL = Statements("groups")


class ComparablePage(NamedTuple):
    """A page to be clustered; `extraction_key` is None unless the page has an outcome."""

    id: int
    url: str
    fetched_at: datetime | None
    tree_id: int
    content_digest: str
    extraction_key: str | None
    forced: bool  # whether its next extraction publishes a revision even if nothing has changed
    has_html: bool
    comment_vote: str | None
    lines: bytes | None  # `PageLines.to_bytes`
    removable_lines: bytes | None
    received_at: datetime
    former_group: int | None = None  # group in the previous generation


class NewMembership(NamedTuple):
    """The group assignment of a page in a generation."""

    page_id: int
    group_number: int | None  # None for an outlier
    role: str  # "representative", "member" or "outlier"
    template_page_id: int | None  # ID of the page with which the page is compared
    confidence: float | None = None


class NewGroup(NamedTuple):
    """A group of a new generation; its `number` identifies the group across generations."""

    number: int
    members: Sequence[int]  # the first page is compared with the second, others with the first
    representative_trees: Sequence[int]
    comment_pattern: str | None
    shared_lines: bytes | None

    def memberships(self) -> list[NewMembership]:
        """Return the memberships of the group's pages."""
        first, second, *_ = self.members
        others = [NewMembership(each, self.number, "member", first) for each in self.members[1:]]
        return [NewMembership(first, self.number, "representative", second), *others]


def group_params(groups: Sequence[NewGroup]) -> dict[str, list[Any]]:
    """Return the parameters of the fragment ``add_groups``, except for the sizes of the groups."""
    group_trees = [(each.number, tree) for each in groups for tree in each.representative_trees]
    return {
        "new_group_numbers": [each.number for each in groups],
        "representative_page_ids": [each.members[0] for each in groups],
        "comment_patterns": [each.comment_pattern for each in groups],
        "shared_lines": [each.shared_lines for each in groups],
        "tree_group_numbers": [number for number, _ in group_trees],
        "representative_tree_ids": [tree_id for _, tree_id in group_trees],
    }


GroupKey: TypeAlias = tuple[int, int, int]  # site ID, generation and number of a group


def lock_patterns(session: Session, keys: Collection[GroupKey]) -> dict[GroupKey, str | None]:
    """Lock groups until the transaction ends, and return their comment patterns."""
    if not keys:
        return {}
    rows = session.execute(SQL.lock_patterns, {"groups": json.dumps(sorted(keys))})
    return {(site_id, generation, number): each for site_id, generation, number, each in rows}


def count_votes(session: Session, key: GroupKey) -> Sequence[int]:
    """Set the comment pattern of a locked group by the votes of its pages.

    If the pattern has changed, return the pages to extract again: those that need the group's
    pattern and do not await extraction anyway.
    """
    params = dict(zip(("site_id", "generation", "number"), key, strict=True))
    return session.scalars(SQL.count_votes, params).all()


class AssignedPage(NamedTuple):
    """A page's membership in the latest generation of its site."""

    site_id: int
    generation: int
    membership: NewMembership
    distances: Mapping[tuple[int, int], int | None] = MappingProxyType({})  # new, of its tree

    @property
    def is_template(self) -> bool:
        """Whether the other pages of its group are compared with it."""
        return self.membership.template_page_id == self.membership.page_id


def member_params(assigned: Iterable[AssignedPage]) -> dict[str, str]:
    """Return the parameter of the fragment ``members``: memberships as JSON."""
    rows = [
        {**each.membership._asdict(), "site_id": each.site_id, "generation": each.generation}
        for each in assigned
    ]
    return {"members": json.dumps(rows)}


def distances_of(assigned: Iterable[AssignedPage]) -> Distances:
    """Return all distances computed for the given pages."""
    return {pair: edits for each in assigned for pair, edits in each.distances.items()}


def save_memberships(session: Session, assigned: Sequence[AssignedPage]) -> None:
    """Insert or replace the memberships of pages, and store the distances computed for them."""
    params = member_params(assigned) | distance_params(distances_of(assigned))
    session.execute(SQL.save_memberships, params)


class SiteState(NamedTuple):
    """State of a site when its clustering starts."""

    version: int
    generation: int  # number of the latest generation; 0 if there is none
    seen_version: int  # site version on which the latest generation is based
    is_new: bool  # whether the site has never been clustered
    compared_version: int | None  # site version of the comparison in progress
    is_comparing: bool  # whether blocks of comparisons are unfinished
    last_group: int  # highest group number ever used; 0 if there is none
    trees: Sequence[tuple[int, str, int]] | None  # ID, digest and size of each, if needed


def site_state(session: Session, site_id: int, *, with_trees: bool = False) -> SiteState:
    """Return the state of a site, optionally with its distinct trees, in order of their IDs."""
    params = {"site_id": site_id, "provisional": PROVISIONAL, "with_trees": with_trees}
    return SiteState(*session.execute(SQL.site_state, params).one())


COMPARABLE_PAGES = SQL.comparable_pages.columns(lines=LargeBinary, removable_lines=LargeBinary)

LOAD_KNOWLEDGE = SQL.load_knowledge.columns(page_id=BigInteger, packed=LargeBinary)


class Representative(NamedTuple):
    """A representative tree of a group, and the template page of the group's other pages."""

    group_number: int
    tree_id: int
    tree_size: int
    template_page_id: int


ADD_GENERATION = SQL.add_generation.bindparams(*TURNS)


class GroupHistory(NamedTuple):
    """A group across the generations of its site."""

    number: int
    since: datetime
    until: datetime
    size: int  # number of pages in the latest generation; 0 if gone
    largest: int  # maximum size in any generation
    example: str  # URL of its latest representative


def record_design_change(session: Session, change: DesignChange) -> bool:
    """Store a design change; return True if it is new, or False if it updates the latest one."""
    last = next(reversed(design_changes(session, change.site_id)), None)
    if last is None or change.since > last.seen_until:
        session.add(change)
        return True
    last.seen_until = max(last.seen_until, change.seen_until)
    for name in ("new_share", "outlier_share", "new_groups", "gone_groups"):
        setattr(last, name, getattr(change, name))
    return False


def design_changes(session: Session, site_id: int) -> Sequence[DesignChange]:
    """Return all design changes of a site, oldest first."""
    changes = select(DesignChange).where(DesignChange.site_id == site_id)
    return session.scalars(changes.order_by(DesignChange.generation)).all()
