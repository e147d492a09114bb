"""Addresses joined to another page."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from detourage.addresses import canonical_of
from models.tables import Address, Site
from worker.store import addresses
from worker.store.statements import Statements

SQL = Statements("addresses")

MAX_LISTED = 10_000
"""Maximum number of addresses listed for a site, newest first."""


@dataclass(frozen=True)
class JoinedAddress:
    """An address that joined another address's page.

    ``kind`` is a `detourage.addresses.Kind`; ``canonical`` is the page's address.
    """

    address: str
    kind: str
    canonical: str
    since: datetime


def counts(session: Session, site_id: int) -> dict[str, int]:
    """Return how many of a site's addresses have joined other pages, by kind."""
    return dict(session.execute(SQL.counts, {"site_id": site_id}).all())


def list_joined(session: Session, key: str) -> list[JoinedAddress]:
    """Return a site's addresses that joined another address's page."""
    rows = session.scalars(
        select(Address)
        .join(Site, Site.id == Address.site_id)
        .where(
            Site.key == key,
            or_(Address.joined_at.is_not(None), func.cardinality(Address.spellings) > 1),
        )
        .order_by(Address.id.desc())
        .limit(MAX_LISTED)
    ).all()
    addresses_of = addresses.of_pages(session, [row.page_id for row in rows])
    listed = [
        each for row in rows for each in _listed(row, canonical_of(addresses_of[row.page_id]))
    ]
    return sorted(listed, key=lambda each: (each.canonical, each.address))


def _listed(row: Address, canonical: str) -> list[JoinedAddress]:
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
