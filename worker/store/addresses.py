"""Page addresses: URLs are resolved to pages, and the addresses of one article are joined."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row
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
    find_joined,
    with_spelling,
)
from models.tables import StoredPage
from worker.store.pages import FetchedPage, ParsedPage, digest_of_url
from worker.store.queries import Statements

SQL = Statements("addresses")

MAX_CLAIMANTS = 20  # maximum number of addresses read that declare the same target

Fetch = tuple[int, FetchedPage, ParsedPage]  # site ID, fetched page and its parsed content


class Resolution(NamedTuple):
    """The address and the stored pages to which a fetch resolves."""

    site_id: int
    address: str
    digest: str
    spelling: str  # the URL as sent
    fetched_at: datetime | None
    declared: DeclaredUrls
    stored_row: Row[Any] | None  # row of the address, or None if it is new
    declared_before: DeclaredUrls | None
    is_stale: bool  # whether a later fetch of the address has already been read
    joins: tuple[int, ...]  # IDs of the other addresses of the same page
    page_ids: tuple[int, ...]
    authoritative: str  # the address whose content becomes the page's
    separated_from: int | None = None  # ID of the page that the address had joined and now leaves

    @property
    def is_authoritative(self) -> bool:
        """Whether the fetched content becomes the page's content."""
        return self.authoritative == self.address


_BY_DIGEST_OR_TARGET = SQL.by_digest_or_target.bindparams(most=MAX_CLAIMANTS)


def resolve_fetches(session: Session, fetches: Sequence[Fetch]) -> list[Resolution]:
    """Resolve fetches in order, and stop before one that may affect a page of an earlier fetch."""
    canonical_urls = [canonical_form(fetched.url) for _, fetched, _ in fetches]
    # Keys (site ID and digest) of each fetch's own address and of the targets that it declares.
    keys_of_fetches = [
        {(site_id, digest_of_url(url))}
        | {(site_id, digest_of_url(target.address)) for target in parsed.declared.targets}
        for (site_id, _, parsed), url in zip(fetches, canonical_urls, strict=True)
    ]
    key_arrays = _key_arrays({key for keys in keys_of_fetches for key in keys})
    rows = {row.id: row for row in session.execute(_BY_DIGEST_OR_TARGET, key_arrays)}
    authoritative = {row.page_id: row for row in rows.values() if row.joined_at is None}
    joined = {row.page_id for row in rows.values()} - authoritative.keys()
    others = session.execute(SQL.authoritative, {"pages": sorted(joined)}) if joined else ()
    authoritative |= {row.page_id: row for row in others}
    declarations = {row.id: declared_by(row) for row in (*rows.values(), *authoritative.values())}
    row_by_key = {(row.site_id, row.digest): row for row in rows.values()}
    rows_by_target = defaultdict(list)
    for row in rows.values():
        for target in declarations[row.id].targets:
            rows_by_target[row.site_id, digest_of_url(target.address)].append(row)
    resolutions: list[Resolution] = []
    affected_before: set[object] = set()
    for fetch, url, keys in zip(fetches, canonical_urls, keys_of_fetches, strict=True):
        own_row = row_by_key.get((fetch[0], digest_of_url(url)))
        related = {
            row.id: row
            for key in keys
            for row in (row_by_key.get(key), *rows_by_target[key])
            if row is not None and row is not own_row
        }
        resolution = _resolve_fetch(url, fetch, own_row, related, declarations, authoritative)
        affected = {*keys, *resolution.page_ids, *(row.page_id for row in related.values())}
        if own_row is not None:
            affected.add(own_row.page_id)
        if affected & affected_before:
            break
        affected_before |= affected
        resolutions.append(resolution)
    return _with_former_pages(session, resolutions)


def _with_former_pages(session: Session, resolutions: list[Resolution]) -> list[Resolution]:
    """For each address that leaves a joined page, add the page that it had before the join."""
    leaving = [each for each in resolutions if each.separated_from is not None]
    keys = [_spelling_key(each) for each in leaving if not each.page_ids]
    if not keys:
        return resolutions
    rows = session.execute(SQL.joined_before, _key_arrays(keys))
    former_pages = {(row.site_id, row.url_digest): row.id for row in rows}
    for i, each in enumerate(resolutions):
        former_page = former_pages.get(_spelling_key(each))
        if former_page is not None:
            resolutions[i] = each._replace(page_ids=tuple(sorted({*each.page_ids, former_page})))
    return resolutions


def _spelling_key(resolution: Resolution) -> tuple[int, str]:
    return resolution.site_id, digest_of_url(resolution.spelling)


def _key_arrays(keys: Iterable[tuple[int, str]]) -> dict[str, list[Any]]:
    ordered = sorted(keys)
    return {"sites": [site for site, _ in ordered], "digests": [digest for _, digest in ordered]}


def declared_by(row: Row[Any]) -> DeclaredUrls:
    """Return the declarations of the page at an address, read from the columns of ``row``."""
    targets = tuple(Target(*each) for each in row.targets or ())
    return DeclaredUrls(targets, tuple(row.headlines), tuple(row.passages))


def _resolve_fetch(
    canonical_url: str,
    fetch: Fetch,
    own_row: Row[Any] | None,
    related: Mapping[int, Row[Any]],
    stored_declarations: Mapping[int, DeclaredUrls],
    authoritative: Mapping[int, Row[Any]],
) -> Resolution:
    """Resolve a fetch, given the stored rows of its address and of ``related`` ones by ID."""

    def record_of(row: Row[Any]) -> AddressRecord:
        return AddressRecord(row.address, stored_declarations[row.id])

    def authoritative_of(row: Row[Any]) -> Row[Any]:
        return authoritative.get(row.page_id, row)

    site_id, fetched, parsed = fetch
    declared = parsed.declared
    read_at = own_row.read_at if own_row is not None else None
    is_stale = bool(fetched.fetched_at and read_at and fetched.fetched_at < read_at)
    declares_nothing_new = is_stale or declared == NOTHING_DECLARED
    if own_row is not None and declares_nothing_new:
        declared = stored_declarations[own_row.id]
    record = AddressRecord(canonical_url if own_row is None else own_row.address, declared)
    agreeing = {each.address for each in find_joined(record, [*map(record_of, related.values())])}
    joins = {
        address_id: row
        for address_id, row in related.items()
        if row.address in agreeing
        and agreement(record, record_of(authoritative_of(row))) is Joining.JOINED
    }
    page_ids = {row.page_id for row in joins.values()}
    separated_from = None
    if own_row is not None:
        is_authoritative = authoritative_of(own_row).id == own_row.id
        if is_authoritative or declares_nothing_new or own_row.page_id in page_ids:
            page_ids.add(own_row.page_id)
        else:
            separated_from = own_row.page_id
    members = {row.id: row for row in (*joins.values(), *map(authoritative_of, joins.values()))}
    if own_row is not None and own_row.page_id in page_ids:
        # `record` replaces the row of the fetched address itself.
        members |= {authoritative_of(own_row).id: authoritative_of(own_row)}
        members.pop(own_row.id, None)
    chosen = authoritative_record([record, *map(record_of, members.values())]).address
    return Resolution(
        site_id=site_id,
        address=record.address,
        digest=digest_of_url(canonical_url) if own_row is None else own_row.digest,
        spelling=fetched.url,
        fetched_at=fetched.fetched_at,
        declared=declared,
        stored_row=own_row,
        declared_before=None if own_row is None else stored_declarations[own_row.id],
        is_stale=is_stale,
        joins=tuple(sorted(joins)),
        page_ids=tuple(sorted(page_ids)),
        authoritative=chosen,
        separated_from=separated_from,
    )


def save(session: Session, resolved: Sequence[tuple[Resolution, int]]) -> None:
    """Store the addresses and declarations of fetches, each paired with its page ID."""
    new = [(each, page_id) for each, page_id in resolved if each.stored_row is None]
    changed = [
        (each, each.stored_row, page_id)
        for each, page_id in resolved
        if each.stored_row is not None and _is_changed(each, each.stored_row, page_id)
    ]
    if changed:
        values = [{"id": row.id, **_update_values(each, page_id)} for each, row, page_id in changed]
        session.execute(SQL.save, values)
    redeclared = {row.id: each for each, row, _ in changed if each.declared_before != each.declared}
    if redeclared:
        session.execute(SQL.delete_targets, {"ids": list(redeclared)})
    if new or redeclared:
        session.execute(SQL.add_addresses, new_params(new, redeclared))
    for each, page_id in resolved:
        if each.joins or each.separated_from is not None:
            params = {"page": page_id, "authoritative_digest": digest_of_url(each.authoritative)}
            session.execute(SQL.set_authoritative, params)


def new_params(
    new: Sequence[tuple[Resolution, int | None]], redeclared: Mapping[int, Resolution] = {}
) -> dict[str, str]:
    """Return the parameters of ``add``: new addresses with page IDs (None: new page), and targets.

    ``redeclared`` contains stored addresses whose targets have changed, by ID.
    """
    addresses = [
        {
            **_update_values(each, page_id),
            "site_id": each.site_id,
            "url_digest": digest_of_url(each.spelling),
            "digest": each.digest,
            "address": each.address,
            "read_at": each.fetched_at and each.fetched_at.isoformat(),
        }
        for each, page_id in new
    ]
    targets = [row for each, _ in new for row in _target_rows(None, each)]
    targets += [row for row_id, each in redeclared.items() for row in _target_rows(row_id, each)]
    return {"addresses": json.dumps(addresses), "targets": json.dumps(targets)}


def save_declarations(session: Session, page: StoredPage, declared: DeclaredUrls) -> None:
    """Store the declarations of a reparsed page; no address is joined until its next fetch."""
    keys = _key_arrays([(page.site_id, digest_of_url(canonical_form(page.url)))])
    row = session.execute(SQL.by_digest, keys).one_or_none()
    if row is None or row.page_id != page.id or declared == NOTHING_DECLARED:
        return
    resolution = Resolution(
        site_id=page.site_id,
        address=row.address,
        digest=row.digest,
        spelling=page.url,
        fetched_at=page.fetched_at,
        declared=declared,
        stored_row=row,
        declared_before=declared_by(row),
        is_stale=False,
        joins=(),
        page_ids=(page.id,),
        authoritative=row.address,
    )
    save(session, [(resolution, page.id)])


def _updated_spellings(resolution: Resolution, stored: Sequence[str]) -> list[str]:
    if len(resolution.spelling) > MAX_ADDRESS:
        return list(stored)
    return with_spelling(stored, resolution.spelling)


def _is_changed(resolution: Resolution, row: Row[Any], page_id: int) -> bool:
    """Return whether a fetch changes the stored row of an address."""
    return (
        row.page_id != page_id
        or _updated_spellings(resolution, row.spellings) != list(row.spellings)
        or resolution.declared_before != resolution.declared
        or (not resolution.is_stale and resolution.fetched_at != row.read_at)
    )


def _update_values(resolution: Resolution, page_id: int | None) -> dict[str, Any]:
    row, declared = resolution.stored_row, resolution.declared
    return {
        "page_id": page_id,
        "spellings": _updated_spellings(resolution, row.spellings if row is not None else ()),
        "kind": declared.kind,
        "headlines": list(declared.headlines),
        "passages": list(declared.passages),
        "read_at": row.read_at
        if row is not None and resolution.is_stale
        else resolution.fetched_at,
    }


def _target_rows(address_id: int | None, resolution: Resolution) -> list[dict[str, Any]]:
    return [
        {
            "address_id": address_id,
            "number": number,
            "site_id": resolution.site_id,
            "digest": resolution.digest,
            "target_digest": digest_of_url(target.address),
            "target": target.address,
            "kind": target.kind,
            "is_declared": target.is_declared,
        }
        for number, target in enumerate(resolution.declared.targets)
    ]


def parse_page_addresses(stored: Sequence[Sequence[Any]] | None) -> list[PageAddress]:
    """Return the addresses of a page from the JSON arrays of the query ``addresses_by_page``."""
    return [
        PageAddress(address, kind, tuple(spellings), is_authoritative)
        for address, kind, spellings, is_authoritative in stored or ()
    ]


def addresses_by_page(session: Session, page_ids: Sequence[int]) -> dict[int, list[PageAddress]]:
    """Return the addresses of each page, by page ID."""
    rows = session.execute(SQL.addresses_by_page, {"pages": list(page_ids)})
    return {page_id: parse_page_addresses(stored) for page_id, stored in rows}


MAX_LISTED = 10_000  # maximum number of addresses listed for a site, newest first


class JoinedAddress(NamedTuple):
    """An address whose page was merged into that of `canonical`, or another spelling (`form`)."""

    address: str
    kind: str
    canonical: str
    since: datetime


def list_joined(session: Session, key: str) -> list[JoinedAddress]:
    """Return a site's newest addresses that joined another's page, and alternative spellings."""
    rows = session.execute(SQL.list_joined, {"key": key, "limit": MAX_LISTED}).all()
    addresses_of = addresses_by_page(session, [row.page_id for row in rows])
    joined: list[JoinedAddress] = []
    for row in rows:
        joined += _joined_addresses(row, canonical_of(addresses_of[row.page_id]))
    return sorted(joined, key=lambda each: (each.canonical, each.address))


def _joined_addresses(row: Row[Any], canonical: str) -> list[JoinedAddress]:
    """Return the address in a row if it joined another address's page, and its other spellings."""
    first = row.address if row.address in row.spellings else next(iter(row.spellings), row.address)
    joined = [
        JoinedAddress(spelling, "form", canonical, row.came_at)
        for spelling in row.spellings
        if spelling != first
    ]
    if row.joined_at is not None:
        joined.append(JoinedAddress(first, row.kind or "canonical", canonical, row.joined_at))
    return joined
