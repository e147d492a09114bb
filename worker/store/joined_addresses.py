"""What operators want to know of the addresses that joined."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from models.tables import Address, Site
from worker.addresses import PageAddress, canonical_of

MOST_LISTED = 10_000
"""Addresses that are listed of a site, the ones that came last."""


@dataclass(frozen=True)
class JoinedAddress:
    """An address that joined the page of another, or was taken from it.

    Attributes
    ----------
    address
        As it was given.
    kind
        How it joined, `worker.addresses.Kind`; ``separated`` where it was taken.
    canonical
        The one address of its page.
    since
        When.
    """

    address: str
    kind: str
    canonical: str
    since: datetime


def counts(session: Session, site_id: int) -> dict[str, int]:
    """Return how many addresses of a site joined another's page, by kind."""
    counted: Counter[str] = Counter()
    of_site = select(
        func.coalesce(Address.kind, "canonical"),
        func.count().filter(Address.joined_at.is_not(None)),
        func.sum(func.greatest(func.cardinality(Address.spellings) - 1, 0)),
        func.count().filter(Address.separated_at.is_not(None)),
    )
    rows = session.execute(
        of_site.where(Address.site_id == site_id).group_by(func.coalesce(Address.kind, "canonical"))
    )
    for kind, joined, spelled, separated in rows:
        counted[kind] += joined
        counted["form"] += int(spelled)
        counted["separated"] += separated
    return {kind: number for kind, number in sorted(counted.items()) if number}


def joined_addresses(session: Session, key: str) -> list[JoinedAddress]:
    """Return the addresses of a site that joined another's page, and those that were taken."""
    rows = session.scalars(
        select(Address)
        .join(Site, Site.id == Address.site_id)
        .where(
            Site.key == key,
            or_(
                Address.joined_at.is_not(None),
                Address.separated_at.is_not(None),
                func.cardinality(Address.spellings) > 1,
            ),
        )
        .order_by(Address.id.desc())
        .limit(MOST_LISTED)
    ).all()
    canonical = _canonical(session, [row.page_id for row in rows])
    listed = [each for row in rows for each in _listed(row, canonical[row.page_id])]
    return sorted(listed, key=lambda each: (each.canonical, each.address))


def _canonical(session: Session, page_ids: Sequence[int]) -> dict[int, str]:
    by_page: dict[int, list[PageAddress]] = {page_id: [] for page_id in page_ids}
    for row in session.scalars(select(Address).where(Address.page_id.in_(by_page))):
        speaks = row.joined_at is None
        each = PageAddress(row.address, row.kind, row.spellings, speaks)  # type: ignore[arg-type]
        by_page[row.page_id].append(each)
    return {page_id: canonical_of(found) for page_id, found in by_page.items()}


def _listed(row: Address, canonical: str) -> list[JoinedAddress]:
    if row.separated_at is not None:
        return [JoinedAddress(row.address, "separated", canonical, row.separated_at)]
    first = row.address if row.address in row.spellings else next(iter(row.spellings), row.address)
    listed = [
        JoinedAddress(spelling, "form", canonical, row.came_at)
        for spelling in row.spellings
        if spelling != first
    ]
    if row.joined_at is not None:
        kind = row.kind or "canonical"
        listed.append(JoinedAddress(first, kind, canonical, row.joined_at))
    return listed
