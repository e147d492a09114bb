"""List the addresses joined to another page, and separate them permanently."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

from detourage.addresses import canonical_of
from detourage.errors import ExpectedError
from detourage.outcomes import PageOutcome
from models.tables import Address, PageContent, Site, StoredPage
from worker.store import addresses, pages
from worker.store.database import sql
from worker.store.fetched_pages import digest_of_url, digests_of_address
from worker.store.recording import copy_content

WAITING = "waits for its next fetch"
"""Outcome detail of a page without content."""


class NotJoinedError(ExpectedError):
    """An address cannot be separated from its page."""


@dataclass(frozen=True)
class SeparatedPage:
    """The page of a separated address, with the address's latest stored content, if any.

    ``is_other_empty`` means that the content was taken from the page that the address had joined,
    which keeps its article but has no content until its next fetch.
    """

    page_id: int
    site_id: int
    has_content: bool
    is_other_empty: bool


def separate(session: Session, url: str) -> list[SeparatedPage]:
    """Separate an address from its page on each site: it never joins another page again.

    An alternative spelling is separated on its own. Raises `NotJoinedError` if the address is
    unknown or is the only address of its page.
    """
    digests = digests_of_address(url)
    known = select(Site.key).join(Address, Address.site_id == Site.id).distinct()
    keys = session.scalars(known.where(Address.digest.in_(digests)))
    site_ids = pages.lock_sites(session, keys.all())
    if not site_ids:
        raise NotJoinedError("no page with this address is stored")
    return [_separate(session, site_id, url, digests) for site_id in sorted(site_ids.values())]


def _separate(session: Session, site_id: int, url: str, digests: Sequence[str]) -> SeparatedPage:
    rows = {
        row.digest: row
        for row in session.scalars(
            select(Address).where(Address.site_id == site_id, Address.digest.in_(digests))
        )
    }
    row = next(rows[digest] for digest in digests if digest in rows)
    others = session.scalars(
        select(Address).where(Address.page_id == row.page_id, Address.id != row.id)
    ).all()
    is_spelling = url != row.address and row.spellings != [url]
    if not is_spelling and not others:
        detail = "its page has no other address"
        if len(row.spellings) > 1:
            detail = "its page has no other address, only spellings of it: separate one of these"
        raise NotJoinedError(detail)
    page = session.get_one(StoredPage, row.page_id, with_for_update=True, populate_existing=True)
    spellings = [url] if is_spelling else list(row.spellings)
    own = _own_page(session, page, spellings or [url])
    addresses.yield_url(session, page.id, spellings or [url])
    if own.url not in spellings:
        own.url, own.content_digest = spellings[0] if spellings else url, ""
    was_current = page.url in spellings
    if was_current and page.html_removed_at is None:
        copy_content(session, page, own)
    has_content = own.content_digest != "" and own.html_removed_at is None
    if has_content:
        own.tree_id, own.outcome, own.outcome_detail = None, None, None
    own.revision = page.revision
    session.flush()
    if is_spelling:
        row.spellings = [each for each in row.spellings if each != url]
        session.add(
            Address(
                site_id=site_id,
                page_id=own.id,
                digest=digests[0],
                address=url,
                spellings=[url],
                separated_at=func.now(),
            )
        )
    else:
        row.page_id, row.separated_at, row.joined_at = own.id, func.now(), None
    session.flush()
    addresses.settle(session, page.id)
    if was_current:
        _empty(session, page)
    return SeparatedPage(own.id, site_id, has_content, is_other_empty=was_current)


def _empty(session: Session, page: StoredPage) -> None:
    """Remove a page's content, because it belongs to another page; the next fetch replaces it."""
    page.url = canonical_of(addresses.of_pages(session, [page.id])[page.id])
    page.content_digest, page.fetched_at = "", None
    page.tree_id, page.comment_pattern, page.forced = None, None, False
    page.html_removed_at = func.now()
    page.extracted_generation = page.generation
    if page.outcome is None:
        page.outcome, page.outcome_detail = PageOutcome.JOINED, WAITING
    session.execute(delete(PageContent).where(PageContent.page_id == page.id))
    session.flush()


def _own_page(session: Session, page: StoredPage, spellings: Sequence[str]) -> StoredPage:
    """Return the page that an address had before joining another page, or else a new page."""
    digests = [digest_of_url(each) for each in spellings]
    before = session.scalars(
        select(StoredPage)
        .where(
            StoredPage.site_id == page.site_id,
            StoredPage.url_digest.in_(digests),
            StoredPage.outcome == PageOutcome.JOINED,
        )
        .order_by(StoredPage.id)
        .limit(1)
    ).one_or_none()
    if before is not None:
        return before
    new = StoredPage(
        site_id=page.site_id,
        url=spellings[0],
        url_digest=digests[0],
        content_digest="",
        outcome=PageOutcome.JOINED,
        outcome_detail=WAITING,
    )
    session.add(new)
    session.flush()
    return new


MAX_LISTED = 10_000
"""Maximum number of addresses listed for a site, newest first."""


@dataclass(frozen=True)
class JoinedAddress:
    """An address that joined another address's page, or was separated from it.

    ``kind`` is a `detourage.addresses.Kind` or ``separated``; ``canonical`` is the page's address.
    """

    address: str
    kind: str
    canonical: str
    since: datetime


def counts(session: Session, site_id: int) -> dict[str, int]:
    """Return how many of a site's addresses have joined other pages, by kind."""
    query = sql("""
        SELECT name, sum(number) FROM addresses CROSS JOIN LATERAL (VALUES
            (coalesce(kind, 'canonical'), CAST(joined_at IS NOT NULL AS integer)),
            ('form', greatest(cardinality(spellings) - 1, 0)),
            ('separated', CAST(separated_at IS NOT NULL AS integer))
        ) AS counted (name, number)
        WHERE site_id = :site_id
        GROUP BY name HAVING sum(number) > 0 ORDER BY name COLLATE "C"
    """)
    return dict(session.execute(query, {"site_id": site_id}).all())


def joined_addresses(session: Session, key: str) -> list[JoinedAddress]:
    """Return a site's addresses that joined another address's page or were separated."""
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
        .limit(MAX_LISTED)
    ).all()
    addresses_of = addresses.of_pages(session, [row.page_id for row in rows])
    listed = [
        each for row in rows for each in _listed(row, canonical_of(addresses_of[row.page_id]))
    ]
    return sorted(listed, key=lambda each: (each.canonical, each.address))


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
