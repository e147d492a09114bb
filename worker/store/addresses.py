"""Page addresses, and the resolution of fetched URLs to stored pages."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from detourage.addresses import (
    MAX_ADDRESS,
    NOTHING_DECLARED,
    AddressRecord,
    DeclaredUrls,
    Joining,
    PageAddress,
    Target,
    agreement,
    authoritative_record,
    canonical_form,
    canonical_of,
    joined,
    with_spelling,
)
from models.tables import Address, AddressTarget, StoredPage
from worker.store.database import rows_only
from worker.store.pages import FetchedPage, ReadPage, digest_of_url
from worker.store.queries import Statements

SQL = Statements("addresses")

MAX_CLAIMANTS = 20  # maximum number of addresses examined that declare the same target

Fetch = tuple[int, FetchedPage, ReadPage]


@dataclass(frozen=True)
class Resolution:
    """The address and the stored pages to which a fetch resolves."""

    site_id: int
    address: str
    digest: str
    spelling: str  # the URL as sent
    fetched_at: datetime | None
    declared: DeclaredUrls
    known: Row[Any] | None  # stored row of the address, if any
    declared_before: DeclaredUrls | None
    is_stale: bool  # a later fetch has already been read
    joins: tuple[int, ...]  # IDs of other addresses that lead to the same page
    page_ids: tuple[int, ...]
    authoritative: str  # the address that provides the content
    separated_from: int | None = None  # page that the address had joined but no longer matches

    @property
    def is_authoritative(self) -> bool:
        """Whether the fetched content becomes the page's content."""
        return self.authoritative == self.address


_KNOWN_OR_CLAIMING = SQL.known_or_claiming.bindparams(most=MAX_CLAIMANTS)


def locate(session: Session, fetches: Sequence[Fetch]) -> list[Resolution]:
    """Resolve fetches in order, up to the first that may affect the same page as an earlier one."""
    forms = [canonical_form(fetched.url) for _, fetched, _ in fetches]
    keys = [
        {(site_id, digest_of_url(form))}
        | {(site_id, digest_of_url(target.address)) for target in read.declared.targets}
        for (site_id, _, read), form in zip(fetches, forms, strict=True)
    ]
    wanted = _arrays({key for each in keys for key in each})
    rows = {row.id: row for row in session.execute(_KNOWN_OR_CLAIMING, wanted)}
    page_ids = [row.page_id for row in rows.values()]
    authoritative = (
        {row.page_id: row for row in session.execute(SQL.authoritative, {"pages": page_ids})}
        if page_ids
        else {}
    )
    declared = _declared(session, [*rows.values(), *authoritative.values()])
    by_digest = {(row.site_id, row.digest): row for row in rows.values()}
    claimants = defaultdict(list)
    for row in rows.values():
        for target in declared[row.id].targets:
            claimants[row.site_id, digest_of_url(target.address)].append(row)
    located: list[Resolution] = []
    seen: set[object] = set()
    for (site_id, fetched, read), form, own_keys in zip(fetches, forms, keys, strict=True):
        own = by_digest.get((site_id, digest_of_url(form)))
        others = {
            row.id: row
            for key in own_keys
            for row in (by_digest.get(key), *claimants[key])
            if row is not None and row is not own
        }
        found = _located(site_id, form, fetched, read, own, others, declared, authoritative)
        rows_touched = [*others.values(), *([own] if own is not None else [])]
        touched = {*own_keys, *found.page_ids, *(row.page_id for row in rows_touched)}
        if touched & seen:
            break
        seen |= touched
        located.append(found)
    return _with_former_pages(session, located)


def _with_former_pages(session: Session, located: list[Resolution]) -> list[Resolution]:
    """Resolve addresses that leave a joined page to the pages that they had before."""
    leaving = [each for each in located if each.separated_from is not None and not each.page_ids]
    if not leaving:
        return located
    rows = session.execute(SQL.joined_before, _arrays(map(_spelling_key, leaving)))
    pages = {(row.site_id, row.url_digest): row.id for row in rows}
    return [
        replace(each, page_ids=tuple(sorted({*each.page_ids, pages[_spelling_key(each)]})))
        if _spelling_key(each) in pages
        else each
        for each in located
    ]


def _spelling_key(each: Resolution) -> tuple[int, str]:
    return each.site_id, digest_of_url(each.spelling)


def _arrays(keys: Iterable[tuple[int, str]]) -> dict[str, list[Any]]:
    ordered = sorted(keys)
    return {"sites": [site for site, _ in ordered], "digests": [digest for _, digest in ordered]}


def _declared(session: Session, rows: Iterable[Row[Any]]) -> dict[int, DeclaredUrls]:
    by_id = {row.id: row for row in rows}
    targets: defaultdict[int, list[Target]] = defaultdict(list)
    if by_id:
        for each in session.execute(SQL.declared, {"ids": list(by_id)}):
            target = Target(each.target, each.kind, each.is_declared)
            targets[each.address_id].append(target)
    return {
        number: DeclaredUrls(tuple(targets[number]), tuple(row.headlines), tuple(row.passages))
        for number, row in by_id.items()
    }


def _located(
    site_id: int,
    form: str,
    fetched: FetchedPage,
    read: ReadPage,
    own: Row[Any] | None,
    others: Mapping[int, Row[Any]],
    stored: Mapping[int, DeclaredUrls],
    authoritative: Mapping[int, Row[Any]],
) -> Resolution:
    def known(row: Row[Any]) -> AddressRecord:
        return AddressRecord(row.address, stored[row.id])

    def authoritative_of(row: Row[Any]) -> Row[Any]:
        return authoritative.get(row.page_id, row)

    declared = read.declared
    read_at = own.read_at if own is not None else None
    is_stale = bool(fetched.fetched_at and read_at and fetched.fetched_at < read_at)
    declares_nothing_new = is_stale or declared == NOTHING_DECLARED
    if own is not None and declares_nothing_new:
        declared = stored[own.id]
    record = AddressRecord(form if own is None else own.address, declared)
    agreeing = joined(record, [known(row) for row in others.values()])
    addresses = {each.address for each in agreeing}
    joins = {
        number: row
        for number, row in others.items()
        if row.address in addresses
        and agreement(record, known(authoritative_of(row))) is Joining.JOINED
    }
    page_ids = {row.page_id for row in joins.values()}
    separated_from = None
    if own is not None:
        is_authoritative = authoritative_of(own).id == own.id
        if is_authoritative or declares_nothing_new or own.page_id in page_ids:
            page_ids.add(own.page_id)
        else:
            separated_from = own.page_id
    members = {row.id: row for row in (*joins.values(), *map(authoritative_of, joins.values()))}
    if own is not None and own.page_id in page_ids:
        members |= {authoritative_of(own).id: authoritative_of(own)}
        members.pop(own.id, None)
    chosen = authoritative_record([record, *map(known, members.values())]).address
    return Resolution(
        site_id,
        record.address,
        digest_of_url(form) if own is None else own.digest,
        fetched.url,
        fetched.fetched_at,
        declared,
        own,
        None if own is None else stored[own.id],
        is_stale,
        tuple(sorted(joins)),
        tuple(sorted(page_ids)),
        chosen,
        separated_from,
    )


_ADD = rows_only(insert(Address).returning(Address.id, Address.site_id, Address.digest))
_ADD_TARGETS = rows_only(insert(AddressTarget))


def save(session: Session, located: Sequence[tuple[Resolution, int]]) -> None:
    """Store the addresses and declarations of fetches, each paired with its page ID."""
    new = [(each, page_id) for each, page_id in located if each.known is None]
    changed = [
        (each, each.known, page_id)
        for each, page_id in located
        if each.known is not None and _is_changed(each, each.known, page_id)
    ]
    ids = {(each.site_id, each.digest): row.id for each, row, _ in changed}
    if changed:
        session.execute(SQL.forget_targets, {"ids": list(ids.values())})
        values = [{"id": row.id, **_values(each, page_id)} for each, row, page_id in changed]
        session.execute(SQL.save, values)
    if new:
        values = [
            {
                "site_id": each.site_id,
                "digest": each.digest,
                "address": each.address,
                **_values(each, page_id),
            }
            for each, page_id in new
        ]
        added = session.execute(_ADD, values)
        ids |= {(site_id, digest): number for number, site_id, digest in added}
    rows = [
        row
        for each in [*(each for each, _, _ in changed), *(each for each, _ in new)]
        for row in _target_rows(ids[each.site_id, each.digest], each.site_id, each.declared)
    ]
    if rows:
        session.execute(_ADD_TARGETS, rows)
    for each, page_id in located:
        if each.joins or each.separated_from is not None:
            session.execute(
                SQL.settle,
                {"page": page_id, "authoritative_digest": digest_of_url(each.authoritative)},
            )


def save_reading(session: Session, page: StoredPage, declared: DeclaredUrls) -> None:
    """Store the declarations of a reparsed page; addresses join only at their next fetch."""
    keys = _arrays([(page.site_id, digest_of_url(canonical_form(page.url)))])
    known = session.execute(SQL.known, keys).one_or_none()
    if known is None or known.page_id != page.id or declared == NOTHING_DECLARED:
        return
    declared_before = _declared(session, [known])[known.id]
    place = Resolution(
        *(page.site_id, known.address, known.digest, page.url, page.fetched_at, declared),
        *(known, declared_before, False, (), (page.id,), known.address),
    )
    save(session, [(place, page.id)])


def _spelled(each: Resolution, before: Sequence[str]) -> list[str]:
    if len(each.spelling) > MAX_ADDRESS:
        return list(before)
    return with_spelling(before, each.spelling)


def _is_changed(each: Resolution, known: Row[Any], page_id: int) -> bool:
    """Return whether a fetch changes the stored row of an address."""
    return (
        known.page_id != page_id
        or _spelled(each, known.spellings) != list(known.spellings)
        or each.declared_before != each.declared
        or (not each.is_stale and each.fetched_at != known.read_at)
    )


def _values(each: Resolution, page_id: int) -> dict[str, Any]:
    known = each.known
    return {
        "page_id": page_id,
        "spellings": _spelled(each, known.spellings if known is not None else ()),
        "kind": each.declared.kind,
        "headlines": list(each.declared.headlines),
        "passages": list(each.declared.passages),
        "read_at": known.read_at if known is not None and each.is_stale else each.fetched_at,
    }


def _target_rows(address_id: int, site_id: int, declared: DeclaredUrls) -> list[dict[str, Any]]:
    return [
        {
            "address_id": address_id,
            "number": number,
            "site_id": site_id,
            "digest": digest_of_url(target.address),
            "target": target.address,
            "kind": target.kind,
            "is_declared": target.is_declared,
        }
        for number, target in enumerate(declared.targets)
    ]


def page_addresses(stored: Sequence[Sequence[Any]] | None) -> list[PageAddress]:
    """Return the addresses of a page from the rows of `of_pages`."""
    return [
        PageAddress(address, kind, tuple(spellings), is_authoritative)
        for address, kind, spellings, is_authoritative in stored or ()
    ]


def of_pages(session: Session, page_ids: Sequence[int]) -> dict[int, list[PageAddress]]:
    """Return the addresses of each page, by page ID."""
    rows = session.execute(SQL.of_pages, {"pages": list(page_ids)})
    return {page_id: page_addresses(stored) for page_id, stored in rows}


MAX_LISTED = 10_000  # maximum number of addresses listed for a site, newest first


@dataclass(frozen=True)
class JoinedAddress:
    """An address, with its `Kind`, that joined the page of the address `canonical`."""

    address: str
    kind: str
    canonical: str
    since: datetime


def list_joined(session: Session, key: str) -> list[JoinedAddress]:
    """Return a site's addresses that joined another address's page."""
    rows = session.execute(SQL.list_joined, {"key": key, "limit": MAX_LISTED}).all()
    addresses_of = of_pages(session, [row.page_id for row in rows])
    listed = [
        each for row in rows for each in _listed(row, canonical_of(addresses_of[row.page_id]))
    ]
    return sorted(listed, key=lambda each: (each.canonical, each.address))


def _listed(row: Row[Any], canonical: str) -> list[JoinedAddress]:
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
