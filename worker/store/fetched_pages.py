"""Record fetched pages, whether new, changed or unchanged."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    LargeBinary,
    Row,
    any_,
    bindparam,
    delete,
    exists,
    func,
    select,
)
from sqlalchemy.orm import Session

from detourage.addresses import Refusal, canonical_form, refusal_of
from detourage.html import Response
from detourage.outcomes import PageOutcome
from models.tables import StoredPage, WaitingFetch
from worker.outcomes import ReceiptResult
from worker.store import addresses, trees
from worker.store.addresses import Fetch, Resolution, declared_by
from worker.store.advisory_locks import AdvisoryLock
from worker.store.outbox import TURNS
from worker.store.page_objects import (
    MARKER,
    PageObjects,
    StoreUnavailableError,
    page_objects,
    shard_of,
)
from worker.store.pages import (
    Address,
    FetchedPage,
    NewReceipt,
    ParsedPage,
    StoredContent,
    add_receipts,
    digest_of_url,
    pack_content,
    read_content,
)
from worker.store.queries import Statements

SQL = Statements("fetched_pages")

CHANGES: Final = (ReceiptResult.ACCEPTED, ReceiptResult.UPDATED)  # results that store content

_FETCH_COLUMNS: Final = ("url", "crawler_id", "content_type", "fetched_at", "extra")
"""Columns of a page, and of a waiting fetch, that describe the fetch."""


class RecordedFetch(NamedTuple):
    """The page and the result of a fetch."""

    page_id: int
    site_id: int
    result: ReceiptResult


class _MatchedFetch(NamedTuple):
    """A fetch, its stored page, if any, and its result; if it ``waits``, the page changes later."""

    fetched: FetchedPage
    parsed: ParsedPage
    resolution: Resolution
    stored: StoredPage | None
    was_joined: bool
    result: ReceiptResult
    waits: bool

    @property
    def is_changed(self) -> bool:
        """Whether the page needs another extraction now."""
        return not self.waits and (self.was_joined or self.result in CHANGES)


class ChangedMeanwhileError(Exception):
    """A page changed after it was found unchanged, so its fetch must be parsed after all."""


def unchanged_pages(session: Session, fetches: Sequence[FetchedPage]) -> dict[Address, ParsedPage]:
    """Return, by address, the fetches whose content is already stored, as parsed pages.

    Pages that failed, were refused, or lack a tree or HTML are excluded: a fetch may restore them.
    """
    columns = {
        "sites": [each.site for each in fetches],
        "urls": [each.url for each in fetches],
        "addresses": [digest_of_url(canonical_form(each.url)) for each in fetches],
        "contents": [each.content_digest for each in fetches],
    }
    found = {(row.site, row.url): row for row in session.execute(SQL.unchanged, columns)}
    unchanged = {}
    for each in fetches:
        row = found.get(each.address)
        if row is None or each.refusal is not None or row.content_type != each.content_type:
            continue
        if Response.of(row.extra) == each.response:
            unchanged[each.address] = ParsedPage(declared=declared_by(row), is_stored=True)
    return unchanged


def record_pages(
    session: Session,
    fetches: Sequence[Fetch],
    store_url: str = "",
    *,
    have_waited: bool = False,
    task: str | None = None,
) -> list[RecordedFetch]:
    """Store fetched pages with receipts, and return the results. Their sites must be locked.

    Contents are stored in the object store at ``store_url`` or, if that is empty, the database. The
    ``task`` is enqueued for each changed page with a tree whose site has groups.

    A page may be fetched at any of its addresses (`worker.store.addresses`). The fetch with the
    later ``fetched_at`` wins or, in a tie, the one with the greater digest; if a date is missing,
    the last to arrive wins. Among fetches with equal content, the earliest is kept if all are from
    one URL (in a tie, the one with the smallest crawler ID), and the latest otherwise, so that
    their order of arrival has no effect.

    A refusal, such as status 404, does not replace a readable page, but is stored in addition
    (`StoredPage.refused`) until the page is fetched again. Content that has yet to be extracted is
    not replaced, because a wall could replace an article: the new fetch waits (`WaitingFetch`), and
    so do all later ones, unless they ``have_waited``.
    """
    recorded: list[RecordedFetch] = []
    while len(recorded) < len(fetches):
        # Each remaining fetch may depend on changes made by those already recorded.
        rest = fetches[len(recorded) :]
        resolutions = addresses.resolve_fetches(session, rest)
        matched = _match_fetches(session, rest, resolutions, have_waited=have_waited)
        recorded += _record(session, matched, store_url, task)
    return recorded


def _record(
    session: Session, matched: Sequence[_MatchedFetch], store_url: str, task: str | None
) -> list[RecordedFetch]:
    add_waiting(
        session, [(each.resolution.page_ids[0], each.fetched) for each in matched if each.waits]
    )
    immediate = [each for each in matched if not each.waits]
    if any(each.parsed.is_stored and each.result != ReceiptResult.DUPLICATE for each in immediate):
        raise ChangedMeanwhileError
    updated = (each.parsed for each in immediate if each.stored and each.result in CHANGES)
    tree_ids = trees.save_trees(session, (each.tree for each in updated))
    to_save = [each for each in immediate if _update_stored(each, tree_ids)]
    is_changed = any(each.is_changed for each in matched)
    added = _store(session, matched, store_url, task) if is_changed else {}

    def page_id(each: _MatchedFetch) -> int:
        if each.stored is not None:
            return each.stored.id
        return added[each.resolution.site_id, digest_of_url(each.fetched.url)]

    if not is_changed:
        received = ((each, each.fetched.message_id) for each in matched if each.fetched.is_received)
        receipts = [NewReceipt(of, each.result, page_id=page_id(each)) for each, of in received]
        add_receipts(session, receipts)
    for each in immediate:
        if each.resolution.separated_from is not None:
            params = {"page_id": page_id(each), "separated_from": each.resolution.separated_from}
            session.execute(SQL.raise_revision, params)
            if each.stored is not None:
                session.expire(each.stored, ["revision"])
    contents = [(page_id(each), each.fetched, each.parsed.lines) for each in to_save]
    save_contents(session, contents, store_url)
    stored = [each for each in immediate if each.stored or each.resolution.stored_row]
    addresses.save(session, [(each.resolution, page_id(each)) for each in stored])
    return [RecordedFetch(page_id(each), each.resolution.site_id, each.result) for each in matched]


def save_parsed(session: Session, page: StoredPage, parsed: ParsedPage) -> None:
    """Store the result of parsing a stored page again: a tree or, without one, an outcome."""
    tree_ids = trees.save_trees(session, [parsed.tree])
    _assign(page, parsed_columns(parsed, tree_ids))
    session.execute(SQL.save_lines, {"page_id": page.id, "lines": parsed.lines})
    addresses.save_declarations(session, page, parsed.declared)


_IS_AWAITED = exists().where(WaitingFetch.page_id == StoredPage.id)
_KNOWN_PAGES = select(StoredPage, _IS_AWAITED).where(
    StoredPage.id == any_(bindparam("ids", type_=ARRAY(BigInteger)))
)


def _match_fetches(
    session: Session,
    fetches: Sequence[Fetch],
    resolutions: Sequence[Resolution],
    *,
    have_waited: bool,
) -> list[_MatchedFetch]:
    """Join and separate pages, match fetches with them, and decide on results and on waiting."""
    for resolution in resolutions:
        if resolution.separated_from is not None:
            # Another page takes over the URL.
            digests = [digest_of_url(resolution.spelling)]
            params = {"page": resolution.separated_from, "digests": digests}
            session.execute(addresses.SQL.release_url, params)
    ids = [page_id for each in resolutions for page_id in each.page_ids]
    rows = session.execute(_KNOWN_PAGES, {"ids": ids}).all() if ids else ()
    found = {page.id: page for page, _ in rows}
    awaited_ids = {page.id for page, is_awaited in rows if is_awaited and not have_waited}
    matched = []
    # `resolve_fetches` may have stopped before the last fetch.
    for resolution, (_, fetched, parsed) in zip(resolutions, fetches, strict=False):
        stored = None
        was_joined = len(resolution.page_ids) > 1
        if was_joined:
            stored = join_pages(session, resolution.page_ids, resolution.authoritative)
        elif resolution.page_ids:
            stored = found[resolution.page_ids[0]]
        result = _result_of_fetch(session, stored, fetched, resolution)
        waits = (
            stored is not None
            and resolution.is_authoritative
            and resolution.separated_from is None
            and not was_joined
            and (stored.id in awaited_ids or _has_unread_content(stored, fetched, resolution))
        )
        match = _MatchedFetch(fetched, parsed, resolution, stored, was_joined, result, waits)
        matched.append(match)
    return matched


def _has_unread_content(page: StoredPage, fetched: FetchedPage, resolution: Resolution) -> bool:
    """Return whether other content of the page has yet to be extracted."""
    return (
        page.outcome is None
        and _is_readable(page)
        and page.content_digest != fetched.content_digest
        and fetched.refusal is None
        and refusal_of(page.url, Response.of(page.extra)) is None
        and canonical_form(page.url) == resolution.address
    )


def _update_stored(match: _MatchedFetch, tree_ids: Mapping[str, int]) -> bool:
    """Update the stored page from a fetch, and return whether to store the fetched content."""
    page, fetched, resolution = match.stored, match.fetched, match.resolution
    if page is None:
        return False
    if match.result == ReceiptResult.UPDATED:
        refusal, is_same = fetched.refusal, page.content_digest == fetched.content_digest
        if refusal is not None and _is_readable(page):
            page.refused = _stored_refusal(refusal, fetched.fetched_at, page.refused)
            _await_extraction(page, fetched)
            return False
        is_page_address = canonical_form(page.url) == resolution.address
        if is_same and is_page_address and page.refused is not None and _is_readable(page):
            _keep_preferred(page, fetched)
            page.refused = None
            _await_extraction(page, fetched)
            return False
        if refusal is not None:
            page.refused = _stored_refusal(refusal, fetched.fetched_at)
        elif not resolution.is_stale:
            page.refused = None
        elif page.refused is None and _is_inaccessible(page):
            # The content is from an earlier fetch than the wall.
            wall = Refusal(PageOutcome(page.outcome or ""), page.outcome_detail or "")
            page.refused = _stored_refusal(wall, page.fetched_at)
        _assign(page, fetch_columns(fetched, match.parsed) | parsed_columns(match.parsed, tree_ids))
        return True
    if match.result == ReceiptResult.DUPLICATE and resolution.is_authoritative:
        _keep_preferred(page, fetched)
        if match.parsed.is_stored:
            return False
        # A failed page may have lost its content in the object store.
        if page.html_removed_at is not None or page.outcome == PageOutcome.FAILED:
            page.html_removed_at = None
            return True
    return False


_STORE = SQL.store.bindparams(*TURNS)


def _store(
    session: Session, matched: Sequence[_MatchedFetch], store_url: str, task: str | None
) -> dict[tuple[int, str], int]:
    """Store new pages, receipts and tasks; return the new page IDs by site ID and URL digest."""
    new: list[_MatchedFetch] = []
    rows: list[dict[str, Any]] = []
    for each in matched:
        fetched, parsed, page = each.fetched, each.parsed, each.stored
        row = {"site_id": each.resolution.site_id, "url_digest": digest_of_url(fetched.url)}
        row |= {name: getattr(fetched, name) for name in ("is_received", "message_id")}
        row |= {"result": each.result, "number": len(rows)}
        row |= {"trace": dict(fetched.trace) or None, "is_changed": each.is_changed}
        row["is_assigned"] = each.is_changed and (page.tree_id if page else parsed.tree) is not None
        if page is not None:
            row["page_id"] = page.id
        else:
            new.append(each)
            refused = fetched.refusal and _stored_refusal(fetched.refusal, fetched.fetched_at)
            row |= fetch_columns(fetched, parsed) | parsed_columns(parsed, {})
            row |= {"place": len(new), "refused": refused}
            row["fetched_at"] = fetched.fetched_at and fetched.fetched_at.isoformat()
            row["tree_digest"] = parsed.tree.digest if parsed.tree is not None else None
        rows.append(row)
    contents = [(each.fetched, each.parsed.lines) for each in new]
    unknown = [(each.resolution, None) for each in new if each.resolution.stored_row is None]
    params = {"fetches": json.dumps(rows), **_content_params(session, contents, store_url)}
    of_trees = trees.tree_params(each.parsed.tree for each in new)
    params |= {**of_trees, **addresses.new_params(unknown)}
    found = session.execute(_STORE, params | {"task": task})
    return {(site_id, digest): page_id for site_id, digest, page_id in found}


def _result_of_fetch(
    session: Session, page: StoredPage | None, fetched: FetchedPage, resolution: Resolution
) -> ReceiptResult:
    """Decide on the result of a fetch, given the stored page at its address, if any."""
    if page is None:
        return ReceiptResult.ACCEPTED
    if page.outcome == PageOutcome.JOINED:
        # The address has left the page that it had joined.
        return ReceiptResult.UPDATED
    is_same = page.content_digest == fetched.content_digest
    if not resolution.is_authoritative:
        return ReceiptResult.DUPLICATE if is_same else ReceiptResult.SUPERSEDED
    if fetched.refusal is not None:
        return _result_of_refusal(page, fetched.refusal, resolution)
    if page.refused is not None and refusal_of(page.url, Response.of(page.extra)) is not None:
        # Accepted regardless of its date, since only refusals were fetched before.
        return ReceiptResult.UPDATED
    if canonical_form(page.url) != resolution.address:
        # The stored content is from a variant address.
        return ReceiptResult.UPDATED
    if is_same:
        is_back = page.refused is not None and not resolution.is_stale
        return ReceiptResult.UPDATED if is_back else ReceiptResult.DUPLICATE
    # Of equal fetches, the earliest is kept, so the latest may be newer than the page's date.
    is_earlier = _is_later(page, fetched) or (resolution.is_stale and page.refused is None)
    if not is_earlier:
        return ReceiptResult.UPDATED
    if not _is_inaccessible(page):
        return ReceiptResult.SUPERSEDED
    # The page is a wall or gone; an older fetch may still be newer than the published article.
    last = session.scalar(SQL.article_fetched_at, {"page_id": page.id})
    is_newer = last is None or (fetched.fetched_at or last) > last
    return ReceiptResult.UPDATED if is_newer else ReceiptResult.SUPERSEDED


def _is_inaccessible(page: StoredPage) -> bool:
    return page.outcome in (PageOutcome.WALL, PageOutcome.GONE)


def _result_of_refusal(page: StoredPage, refusal: Refusal, resolution: Resolution) -> ReceiptResult:
    """Return the result of a refusal. `page.refused` is the previous refusal, if any."""
    stored_refusal = page.refused
    stored_row = resolution.stored_row
    if resolution.is_stale:
        return ReceiptResult.SUPERSEDED
    if stored_row and resolution.fetched_at and resolution.fetched_at == stored_row.read_at:
        # The stored fetch of this date is either a readable page, which is kept, or a refusal.
        return ReceiptResult.SUPERSEDED if stored_refusal is None else ReceiptResult.DUPLICATE
    is_repeat = stored_refusal is not None and stored_refusal["detail"] == refusal.detail
    if resolution.fetched_at is None and is_repeat:
        return ReceiptResult.DUPLICATE
    return ReceiptResult.UPDATED


def _is_readable(page: StoredPage) -> bool:
    return page.tree_id is not None and page.html_removed_at is None


def _stored_refusal(
    refusal: Refusal, fetched_at: datetime | None, before: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a refusal in its stored form, with the time since which the page has been gone."""
    moment = fetched_at.astimezone(UTC).isoformat() if fetched_at is not None else None
    since = (before or {}).get("gone_since") or moment
    stored = {"outcome": refusal.outcome, "detail": refusal.detail, "fetched_at": moment}
    return {**stored, "gone_since": since if refusal.is_removal else None}


def _await_extraction(page: StoredPage, fetched: FetchedPage) -> None:
    """Request another extraction of the page's stored content, because of a fetch."""
    page.trace = dict(fetched.trace) or None
    if page.outcome is not None:
        page.waiting_since = func.now()
    page.outcome, page.outcome_detail, page.extraction_key = None, None, None


def _is_later(page: StoredPage, fetched: FetchedPage | StoredPage) -> bool:
    return (
        page.fetched_at is not None
        and fetched.fetched_at is not None
        and (page.fetched_at, page.content_digest) > (fetched.fetched_at, fetched.content_digest)
    )


def fetch_columns(fetched: FetchedPage, parsed: ParsedPage) -> dict[str, Any]:
    """Return the columns of a page that describe its fetch."""
    return {
        **{name: getattr(fetched, name) for name in _FETCH_COLUMNS},
        "content_digest": fetched.content_digest,
        "html_removed_at": None,
        # A rejected page is not processed further, so its trace ends here.
        "trace": None if parsed.outcome is not None else dict(fetched.trace) or None,
    }


def parsed_columns(parsed: ParsedPage, tree_ids: Mapping[str, int]) -> dict[str, Any]:
    """Return the columns of a page that describe its parsed content."""
    return {
        "tree_id": tree_ids.get(parsed.tree.digest) if parsed.tree is not None else None,
        "encoding": parsed.encoding,
        "comment_vote": None,
        "outcome": parsed.outcome,
        "outcome_detail": parsed.outcome_detail,
    }


def _assign(page: StoredPage, values: Mapping[str, Any]) -> None:
    had_outcome = page.outcome is not None
    for name, value in values.items():
        setattr(page, name, value)
    if page.outcome is not None:
        # Earlier extraction requests are void.
        page.forced = False
        page.extracted_generation = page.generation
    elif had_outcome:
        page.waiting_since = func.now()


def _keep_preferred(page: StoredPage, fetched: FetchedPage | StoredPage) -> None:
    """Give a page the URL and date of the preferred of two equal fetches; see `record_pages`."""
    prefers_earlier = page.url == fetched.url

    def sort_key(fetch: FetchedPage | StoredPage) -> tuple[bool, float, str, str]:
        timestamp = fetch.fetched_at.timestamp() if fetch.fetched_at else 0.0
        rank = timestamp if prefers_earlier else -timestamp
        return fetch.fetched_at is None, rank, fetch.crawler_id or "", fetch.url

    if sort_key(fetched) < sort_key(page):
        page.url = fetched.url
        page.fetched_at = fetched.fetched_at
        page.crawler_id = fetched.crawler_id


_CONTENT_COLUMNS = [*_FETCH_COLUMNS, "content_digest", "encoding", "tree_id", "comment_vote"]
_CONTENT_COLUMNS += ["outcome", "outcome_detail", "refused"]
"""Columns that describe the content of a page."""


def join_pages(session: Session, page_ids: Sequence[int], authoritative: str) -> StoredPage:
    """Merge pages of a locked site into the first by ID, with the content at ``authoritative``."""
    locked = (
        select(StoredPage)
        .where(StoredPage.id.in_(page_ids))
        # Transactions that lock the same pages in different orders would deadlock.
        .order_by(StoredPage.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    page, *others = session.scalars(locked)
    for other in others:
        page_has_address = canonical_form(page.url) == authoritative
        other_has_address = canonical_form(other.url) == authoritative
        if page.content_digest == other.content_digest and page_has_address == other_has_address:
            _keep_preferred(page, other)
        elif page_has_address or other.html_removed_at is not None:
            pass  # The page keeps its own content.
        elif other_has_address or not _is_later(page, other):
            copy_content(session, other, page)
        page.revision = max(page.revision, other.revision)
    if page.tree_id is not None:
        page.outcome, page.outcome_detail = None, None
        # Another revision informs consumers of the merge, even if the article did not change.
        page.forced = page.revision > 0
        page.waiting_since = func.now()
    for other in others:
        other.tree_id, other.comment_vote, other.forced = None, None, False
        other.extracted_generation = other.generation
        other.outcome, other.outcome_detail = PageOutcome.JOINED, f"it is {page.url}"
    other_ids = [other.id for other in others]
    session.flush()
    session.execute(SQL.move_to_page, {"to_page": page.id, "others": other_ids})
    return page


def copy_content(session: Session, page: StoredPage, other: StoredPage) -> None:
    """Copy the content of a page, and what was parsed from it, to another page."""
    for name in _CONTENT_COLUMNS:
        setattr(other, name, getattr(page, name))
    other.html_removed_at = page.html_removed_at
    session.execute(SQL.copy_content, {"from_page": page.id, "to_page": other.id})


def check_store(session: Session, store_url: str) -> None:
    """Check that an object store accepts pages; raise `StoreUnavailableError` otherwise."""
    objects = page_objects(store_url)
    _require_store(session, objects)
    objects.mark()


def _require_store(session: Session, objects: PageObjects) -> None:
    """Mark an object store if it is new; raise `StoreUnavailableError` if its objects are gone."""
    if objects.is_marked():
        return
    if session.scalar(SQL.has_pages_in, {"start": f"{objects.url}/"}):
        raise StoreUnavailableError(
            f"the object store {objects.url} has no {MARKER}, but the database has pages in it:"
            f" check that its volume is mounted; if its objects are lost, create {MARKER} in it"
        )
    objects.mark()


def save_contents(
    session: Session, contents: Sequence[tuple[int, FetchedPage, bytes | None]], store_url: str
) -> None:
    """Store the content and lines of pages, given with their IDs; their sites must be locked."""
    if not contents:
        return
    values = _content_params(session, [each[1:] for each in contents], store_url)
    session.execute(SQL.save_contents, values | {"page_ids": [each[0] for each in contents]})


def _content_params(
    session: Session, contents: Sequence[tuple[FetchedPage, bytes | None]], store_url: str
) -> dict[str, list[Any]]:
    """Return the columns of contents and lines; write contents to an object store if one is set."""
    packed = [pack_content(fetched.content_bytes) for fetched, _ in contents]
    urls: list[str] = []
    if store_url and contents:
        objects = page_objects(store_url)
        _require_store(session, objects)
        urls = [objects.url_of(content) for content in packed]
        # An existing object may be unused; the lock prevents its deletion until the commit.
        shards = sorted(set(map(shard_of, urls)))
        lock = {"class": AdvisoryLock.PAGE_OBJECTS.value, "shards": shards}
        session.execute(SQL.lock_shards_shared, lock)
        objects.put(packed)
    nothing = [None] * len(contents)
    return {
        "compressed": nothing if urls else packed,
        "object_urls": urls or nothing,
        "is_text": [isinstance(fetched.content, str) for fetched, _ in contents],
        "lines": [lines for _, lines in contents],
    }


MAX_WAITING_FETCHES = 8  # maximum number per page; a further fetch replaces the last to arrive

_DROP_LAST_WAITING = SQL.drop_last_waiting.bindparams(most=MAX_WAITING_FETCHES)


def add_waiting(session: Session, waiting: Sequence[tuple[int, FetchedPage]]) -> None:
    """Store fetches that must wait for an extraction, given with the IDs of their pages."""
    for page_id, fetched in waiting:
        session.execute(_DROP_LAST_WAITING, {"page_id": page_id})
        session.add(
            WaitingFetch(
                page_id=page_id,
                **{name: getattr(fetched, name) for name in _FETCH_COLUMNS},
                compressed=pack_content(fetched.content_bytes),
                is_text=isinstance(fetched.content, str),
                trace=dict(fetched.trace) or None,
            )
        )
    session.flush()


DUE_FETCHES = SQL.due_fetches.columns(compressed=LargeBinary)
"""The earliest waiting fetch, by fetch date, of each page whose current content has an outcome."""


def fetched_page_of(row: Row[Any]) -> FetchedPage:
    """Return the fetched page of a waiting fetch; raise `LostContentError` if it is damaged."""
    content = read_content(StoredContent(row.compressed, None, row.is_text))
    values = {name: getattr(row, name) for name in _FETCH_COLUMNS}
    return FetchedPage(row.key, content=content, trace=row.trace or {}, **values)


def remove_waiting_fetch(session: Session, fetch_id: int) -> bool:
    """Remove a waiting fetch, and return whether it was still waiting."""
    taken = delete(WaitingFetch).where(WaitingFetch.id == fetch_id).returning(WaitingFetch.id)
    return session.scalar(taken) is not None
