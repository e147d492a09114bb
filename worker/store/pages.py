"""Pages, their sites and contents, and the receipts for their messages."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import NamedTuple, Self, TypeAlias

from sqlalchemy import LargeBinary
from sqlalchemy.orm import Session

from detourage.addresses import NOTHING_DECLARED, DeclaredUrls, Refusal, refusal_of
from detourage.html import Response, Tree, site_key
from detourage.limits import MAX_HTML_BYTES
from detourage.messages import PageMessage
from detourage.outcomes import PageOutcome, UnusableReason
from detourage.packed_bytes import DamagedBytesError, pack, unpack
from worker.error_reports import LostContentError
from worker.outcomes import ReceiptResult
from worker.store import page_objects
from worker.store.queries import Statements
from worker.tracing import Context

SQL = Statements("pages")


def lock_sites(session: Session, keys: Iterable[str]) -> dict[str, int]:
    """Lock sites until the transaction ends, creating them if new, and return their IDs by key."""
    # Transactions that lock the same sites in different orders would deadlock.
    missing = sorted(set(keys))
    locked: dict[str, int] = {}
    while missing:
        for query in (SQL.lock_sites, SQL.add_sites):
            if missing:
                locked |= dict(session.execute(query, {"keys": missing}).all())
                missing = [key for key in missing if key not in locked]
    return locked


def lock_site(session: Session, key: str) -> int:
    """Lock a site until the transaction ends, creating it if new, and return its ID."""
    return lock_sites(session, [key])[key]


def sites_named(session: Session, name: str) -> dict[int, str]:
    """Return the keys of the sites with a given name, by ID; see `detourage.html.site_key`."""
    return dict(session.execute(SQL.sites_named, {"name": name}).all())


def load_contents(
    session: Session, page_ids: Collection[int]
) -> dict[int, bytes | str | LostContentError]:
    """Return each page's content as it was sent (bytes or text), or the error in reading it."""
    if not page_ids:
        return {}
    rows = session.execute(_CONTENTS, {"page_ids": list(page_ids)})
    stored = {page_id: StoredContent(*rest) for page_id, *rest in rows}
    return dict(zip(stored, read_contents(list(stored.values())), strict=True))


def key_of_site(session: Session, site_id: int) -> str:
    """Return the key of a site."""
    return str(session.execute(SQL.key_of_site, {"site_id": site_id}).scalar_one())


def reprocessable_page_ids(session: Session, site_id: int) -> list[int]:
    """Return the IDs of a site's unjoined pages whose HTML is stored, in ascending order."""
    return list(session.scalars(SQL.reprocessable_page_ids, {"site_id": site_id}))


class NewReceipt(NamedTuple):
    """The result of processing a message; see `Receipt`."""

    message_id: str | None
    result: ReceiptResult
    reason: UnusableReason | None = None
    page_id: int | None = None


def add_receipts(session: Session, receipts: Iterable[NewReceipt]) -> None:
    """Record the results of handling messages."""
    if values := [each._asdict() for each in receipts]:
        session.execute(SQL.add_receipts, {"receipts": json.dumps(values)})


COMPRESSION = 3  # Zstandard level; level 6 saves 6 % of the space, but takes 2.4 times as long


def pack_content(content: bytes) -> bytes:
    """Return content in its stored form."""
    return pack(content, COMPRESSION)


class StoredContent(NamedTuple):
    """The columns from which a content is read."""

    compressed: bytes | None
    object_url: str | None
    is_text: bool


_CONTENTS = SQL.contents.columns(compressed=LargeBinary)


def read_content(stored: StoredContent) -> bytes | str:
    """Return stored content as it was fetched; raise `LostContentError` if it cannot be read."""
    [content] = read_contents([stored])
    if isinstance(content, LostContentError):
        raise content
    return content


def read_contents(stored: Sequence[StoredContent]) -> list[bytes | str | LostContentError]:
    """Return stored contents as they were fetched, or the errors in reading them."""
    objects = page_objects.get(each.object_url for each in stored if each.object_url is not None)
    return [
        _unpacked(objects[each.object_url] if each.object_url else each.compressed or b"", each)
        for each in stored
    ]


def _unpacked(
    packed: bytes | LostContentError, stored: StoredContent
) -> bytes | str | LostContentError:
    if isinstance(packed, LostContentError):
        return packed
    try:
        html = unpack(packed, MAX_HTML_BYTES)
        return html.decode("utf-8", errors="surrogatepass") if stored.is_text else html
    except (DamagedBytesError, UnicodeDecodeError) as error:
        return LostContentError(f"the stored HTML is damaged: {error}")


Address: TypeAlias = tuple[str, str]  # site and URL of a fetch


@dataclass(frozen=True)
class FetchedPage:
    """A page as the crawler sent it."""

    site: str
    url: str
    content: bytes | str
    crawler_id: str | None
    content_type: str | None
    fetched_at: datetime | None
    extra: str
    trace: Context = field(default_factory=dict)
    is_received: bool = False  # whether it comes from a message, rather than a waiting fetch
    message_id: str | None = None

    @classmethod
    def of(cls, message: PageMessage) -> Self:
        """Create the page from its message."""
        extra = {**(message.model_extra or {}), **message.response}
        return cls(
            site=site_key(message.site, message.url),
            url=message.url,
            content=message.content,
            crawler_id=message.id,
            content_type=message.stated_type,
            fetched_at=message.fetched_at,
            extra=json.dumps(extra, ensure_ascii=True, sort_keys=True),
        )

    @property
    def address(self) -> Address:
        """Site and URL of the page."""
        return self.site, self.url

    @cached_property
    def response(self) -> Response:
        """HTTP response that delivered the page."""
        return Response.of(self.extra)

    @cached_property
    def refusal(self) -> Refusal | None:
        """The response that the site sent instead of the page, or None if it sent the page."""
        return refusal_of(self.url, self.response)

    @cached_property
    def content_bytes(self) -> bytes:
        """The content as bytes, before compression."""
        if isinstance(self.content, str):
            return self.content.encode("utf-8", errors="surrogatepass")
        return self.content

    @cached_property
    def content_digest(self) -> str:
        """SHA-256 of the content, of its type (text or bytes), and of the refusal, if any."""
        kind = b"text:" if isinstance(self.content, str) else b"bytes:"
        if self.refusal is not None:
            kind = f"{self.refusal.detail}:".encode() + kind
        return hashlib.sha256(kind + self.content_bytes).hexdigest()


def digest_of_url(url: str) -> str:
    """Return the SHA-256 of a URL, which is the key of its page."""
    return hashlib.sha256(url.encode("utf-8", errors="surrogatepass")).hexdigest()


class ParsedPage(NamedTuple):
    """A parsed page; a rejected page has an outcome instead of a tree.

    A page whose content is stored already (`is_stored`) has neither.
    """

    tree: Tree | None = None
    encoding: str | None = None
    lines: bytes | None = None
    outcome: PageOutcome | None = None
    outcome_detail: str | None = None
    declared: DeclaredUrls = NOTHING_DECLARED
    is_stored: bool = False
