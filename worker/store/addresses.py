"""Addresses of pages: which page a fetch is one of."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Row,
    Table,
    Text,
    any_,
    bindparam,
    delete,
    func,
    lateral,
    select,
    true,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import Address, AddressTarget, StoredPage
from worker.store.fetched_pages import FetchedPage, ReadPage, digest_of_url
from worker.store.statements import rows_only
from worker.stories.addresses import (
    MAX_ADDRESS,
    NOTHING_DECLARED,
    Declared,
    Known,
    PageAddress,
    Target,
    canonical_form,
    canonical_of,
    joined,
    with_spelling,
)

MOST_CLAIMANTS = 20
"""Addresses that are looked at of those which name one and the same."""

Fetch = tuple[int, FetchedPage, ReadPage]


@dataclass(frozen=True)
class Located:
    """Where a fetch belongs.

    Attributes
    ----------
    site_id
        Its site.
    address, digest
        The address that it is one of, and its digest.
    spelling
        How it was given.
    declared
        What its page says.
    known, said
        What is stored of the address, and what its page said before; None if it is new.
    joins
        Ids of the addresses whose page is its own.
    page_ids
        The pages that it is one of, ascending; more than one where they turn out to be one.
    """

    site_id: int
    address: str
    digest: str
    spelling: str
    declared: Declared
    known: Row[Any] | None
    said: Declared | None
    joins: tuple[int, ...]
    page_ids: tuple[int, ...]


_WANTED = (
    func.unnest(
        bindparam("sites", type_=ARRAY(BigInteger)), bindparam("digests", type_=ARRAY(Text))
    )
    .table_valued("site_id", "digest", name="wanted")
    .render_derived()
)
_KNOWN = rows_only(
    select(Address.__table__).join(
        _WANTED,
        tuple_(Address.site_id, Address.digest) == tuple_(_WANTED.c.site_id, _WANTED.c.digest),
    )
)
_CLAIMANT = lateral(
    select(AddressTarget.address_id)
    .where(AddressTarget.site_id == _WANTED.c.site_id, AddressTarget.digest == _WANTED.c.digest)
    .order_by(AddressTarget.address_id)
    .limit(MOST_CLAIMANTS)
)
_CLAIMANTS = rows_only(
    select(Address.__table__).where(
        Address.id.in_(select(_CLAIMANT.c.address_id).select_from(_WANTED).join(_CLAIMANT, true()))
    )
)
_TARGETS = rows_only(
    select(AddressTarget.__table__)
    .where(AddressTarget.address_id == any_(bindparam("ids", type_=ARRAY(BigInteger))))
    .order_by(AddressTarget.address_id, AddressTarget.number)
)


def locate(session: Session, fetches: Sequence[Fetch]) -> list[Located]:
    """Tell which pages fetches are of: of as many, from the first, as have no page in common.

    Their sites must be locked. What is told of the next ones depends on what these change.
    """
    forms = [canonical_form(fetched.url) for _, fetched, _ in fetches]
    keys = [
        _keys(site_id, form, fetched, read)
        for (site_id, fetched, read), form in zip(fetches, forms, strict=True)
    ]
    wanted = _arrays({key for each in keys for key in each})
    rows = {row.id: row for query in (_KNOWN, _CLAIMANTS) for row in session.execute(query, wanted)}
    declared = _declared(session, rows.values())
    by_digest = {(row.site_id, row.digest): row for row in rows.values()}
    claimants = defaultdict(list)
    for row in rows.values():
        for target in declared[row.id].targets:
            claimants[row.site_id, digest_of_url(target.address)].append(row)
    located: list[Located] = []
    seen: set[object] = set()
    for (site_id, fetched, read), form, own_keys in zip(fetches, forms, keys, strict=True):
        own = _own(by_digest, site_id, fetched.url_digest, form)
        others = {
            row.id: row
            for key in own_keys
            for row in (by_digest.get(key), *claimants[key])
            if row is not None and row is not own and row.separated_at is None
        }
        found = _located(site_id, form, fetched, read, own, others, declared)
        touched = {*own_keys, *found.page_ids, *(row.page_id for row in others.values())}
        if touched & seen:
            break
        seen |= touched
        located.append(found)
    return located


def _own(
    rows: Mapping[tuple[int, str], Row[Any]], site_id: int, url_digest: str, form: str
) -> Row[Any] | None:
    """Return what is stored of an address: the spelling that was taken from its form, or that."""
    spelling = rows.get((site_id, url_digest))
    if spelling is not None and spelling.separated_at is not None:
        return spelling
    return rows.get((site_id, digest_of_url(form)))


def _keys(site_id: int, form: str, fetched: FetchedPage, read: ReadPage) -> set[tuple[int, str]]:
    targets = (target.address for target in read.declared.targets)
    return {
        (site_id, fetched.url_digest),
        *((site_id, digest_of_url(address)) for address in (form, *targets)),
    }


def _arrays(keys: Iterable[tuple[int, str]]) -> dict[str, list[Any]]:
    ordered = sorted(keys)
    return {"sites": [site for site, _ in ordered], "digests": [digest for _, digest in ordered]}


def _declared(session: Session, rows: Iterable[Row[Any]]) -> dict[int, Declared]:
    by_id = {row.id: row for row in rows}
    targets: defaultdict[int, list[Target]] = defaultdict(list)
    if by_id:
        for each in session.execute(_TARGETS, {"ids": list(by_id)}):
            target = Target(each.target, each.kind, each.is_declared, each.is_variant)
            targets[each.address_id].append(target)
    return {
        number: Declared(tuple(targets[number]), tuple(row.headlines), tuple(row.passages))
        for number, row in by_id.items()
    }


def _located(
    site_id: int,
    form: str,
    fetched: FetchedPage,
    read: ReadPage,
    own: Row[Any] | None,
    others: Mapping[int, Row[Any]],
    declared: Mapping[int, Declared],
) -> Located:
    says = read.declared
    if own is not None and says == NOTHING_DECLARED:
        says = declared[own.id]
    joins: dict[int, Row[Any]] = {}
    if own is None or own.separated_at is None:
        known = {number: Known(row.address, declared[number]) for number, row in others.items()}
        agreeing = joined(Known(form, says), list(known.values()))
        addresses = {each.address for each in agreeing}
        joins = {number: row for number, row in others.items() if row.address in addresses}
    pages = {row.page_id for row in ([own] if own is not None else []) + list(joins.values())}
    return Located(
        site_id,
        form if own is None else own.address,
        digest_of_url(form) if own is None else own.digest,
        fetched.url,
        says,
        own,
        None if own is None else declared[own.id],
        tuple(sorted(joins)),
        tuple(sorted(pages)),
    )


# Raw: the mapper would make one statement of each set of columns that are not null.
_ADD = rows_only(
    insert(Address)
    .returning(Address.id, Address.site_id, Address.digest)
    .execution_options(dml_strategy="raw")
)
_TABLE = cast(Table, Address.__table__)
_CHANGE = rows_only(
    update(_TABLE)
    .where(_TABLE.c.id == bindparam("address_id"))
    .values(
        {name: bindparam(f"new_{name}") for name in ("spellings", "kind", "headlines", "passages")}
    )
)
_ADD_TARGETS = rows_only(insert(AddressTarget).execution_options(dml_strategy="raw"))
_FORGET_TARGETS = rows_only(
    delete(AddressTarget)
    .where(AddressTarget.address_id == any_(bindparam("ids", type_=ARRAY(BigInteger))))
    .execution_options(synchronize_session=False)
)


def save(session: Session, located: Sequence[tuple[Located, int]]) -> None:
    """Store the addresses of fetches, and what their pages say, each with its page.

    Parameters
    ----------
    session
        The transaction.
    located
        Where each fetch belongs, and the id of the page that it is of.
    """
    new = [(each, page_id) for each, page_id in located if each.known is None]
    known = [(each, each.known) for each, _ in located if each.known is not None]
    changed = [(each, row) for each, row in known if _is_other(each, row)]
    ids = {(each.site_id, each.digest): row.id for each, row in changed}
    if changed:
        session.execute(_FORGET_TARGETS, {"ids": list(ids.values())})
        session.execute(_CHANGE, [_changed(each, row) for each, row in changed])
    if new:
        added = session.execute(_ADD, [_new(each, page_id) for each, page_id in new])
        ids |= {(site_id, digest): number for number, site_id, digest in added}
    rows = [
        row
        for each, _ in [*changed, *new]
        for row in _target_rows(ids[each.site_id, each.digest], each.site_id, each.declared)
    ]
    if rows:
        session.execute(_ADD_TARGETS, rows)
    settle(session, [page_id for each, page_id in located if each.joins])


def save_reading(session: Session, page: StoredPage, declared: Declared) -> None:
    """Store what a stored page says of its address; it joins others when one of them comes."""
    form = canonical_form(page.url)
    url_digest = digest_of_url(page.url)
    keys = _arrays({(page.site_id, url_digest), (page.site_id, digest_of_url(form))})
    rows = session.execute(_KNOWN, keys).all()
    known = _own({(row.site_id, row.digest): row for row in rows}, page.site_id, url_digest, form)
    if known is None or known.page_id != page.id or declared == NOTHING_DECLARED:
        return
    said = _declared(session, [known])[known.id]
    place = (page.site_id, known.address, known.digest, page.url)
    save(session, [(Located(*place, declared, known, said, (), (page.id,)), page.id)])


def _spelled(each: Located, before: Sequence[str]) -> list[str]:
    if len(each.spelling) > MAX_ADDRESS:
        return list(before)
    return with_spelling(before, each.spelling)


def _is_other(each: Located, known: Row[Any]) -> bool:
    """Tell whether an address that is known changes with a fetch of it."""
    return _spelled(each, known.spellings) != list(known.spellings) or each.said != each.declared


def _new(each: Located, page_id: int) -> dict[str, Any]:
    return {
        "site_id": each.site_id,
        "page_id": page_id,
        "digest": each.digest,
        "address": each.address,
        "spellings": _spelled(each, ()),
        "kind": each.declared.kind,
        "headlines": list(each.declared.headlines),
        "passages": list(each.declared.passages),
    }


def _changed(each: Located, known: Row[Any]) -> dict[str, Any]:
    # What another's page says of it stays, where its own says nothing.
    kind = each.declared.kind or (known.kind if known.joined_at is not None else None)
    return {
        "address_id": known.id,
        "new_spellings": _spelled(each, known.spellings),
        "new_kind": kind,
        "new_headlines": list(each.declared.headlines),
        "new_passages": list(each.declared.passages),
    }


def _target_rows(address_id: int, site_id: int, declared: Declared) -> list[dict[str, Any]]:
    return [
        {
            "address_id": address_id,
            "number": number,
            "site_id": site_id,
            "digest": digest_of_url(target.address),
            "target": target.address,
            "kind": target.kind,
            "is_declared": target.is_declared,
            "is_variant": target.is_variant,
        }
        for number, target in enumerate(declared.targets)
    ]


def settle(session: Session, page_ids: Sequence[int]) -> None:
    """Note which address of each page is its own, and what variants the others are."""
    if not page_ids:
        return
    declared = dict(
        session.execute(
            select(AddressTarget.digest, AddressTarget.kind)
            .join(Address, Address.id == AddressTarget.address_id)
            .where(Address.page_id.in_(page_ids), AddressTarget.is_variant)
            .order_by(AddressTarget.kind.desc())
        ).all()
    )
    addresses = defaultdict(list)
    for row in session.scalars(select(Address).where(Address.page_id.in_(page_ids))):
        row.kind = row.kind or declared.get(row.digest)
        addresses[row.page_id].append(row)
    for rows in addresses.values():
        canonical = canonical_of([_page_address(row) for row in rows])
        for row in rows:
            if row.address == canonical:
                row.joined_at = None
            elif row.joined_at is None:
                row.joined_at = func.now()
    session.flush()


def _page_address(row: Any) -> PageAddress:
    return PageAddress(row.address, row.kind, tuple(row.spellings))


_OF_PAGES = rows_only(
    select(Address.page_id, Address.address, Address.kind, Address.spellings)
    .where(Address.page_id == any_(bindparam("pages", type_=ARRAY(BigInteger))))
    .order_by(Address.page_id, Address.digest)
)


def of_pages(session: Session, page_ids: Sequence[int]) -> dict[int, list[PageAddress]]:
    """Return the addresses of pages, by page."""
    found: defaultdict[int, list[PageAddress]] = defaultdict(list)
    for row in session.execute(_OF_PAGES, {"pages": list(page_ids)}):
        found[row.page_id].append(_page_address(row))
    return {page_id: found[page_id] for page_id in page_ids}
