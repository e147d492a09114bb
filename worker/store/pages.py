"""Pages, their sites and their contents."""

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, Self

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Text,
    any_,
    bindparam,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningInsert

from models.messages import PageMessage
from models.tables import Generation, PageContent, Receipt, Site, StoredPage
from worker.pages import Tree, site_key
from worker.store import trees

COMPRESSION = 5
"""Level of zlib: of 200 pages of ``daniel`` it takes 1.0 ms each in place of 1.4 ms at the usual 6,
for 1 % more space; 4 takes 0.9 ms, for 4 % more."""

RecordResult = Literal["accepted", "updated", "duplicate", "superseded"]


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

    @classmethod
    def of(cls, message: PageMessage) -> Self:
        """Return what is kept of a message."""
        return cls(
            site=site_key(message.site, message.url),
            url=message.url,
            content=message.content,
            crawler_id=message.id,
            content_type=message.content_type,
            fetched_at=message.fetched_at,
            extra=json.dumps(message.model_extra or {}, ensure_ascii=True, sort_keys=True),
        )

    @cached_property
    def content_bytes(self) -> bytes:
        """The content as it is compressed."""
        if isinstance(self.content, str):
            return self.content.encode("utf-8", errors="surrogatepass")
        return self.content

    @cached_property
    def compressed(self) -> bytes:
        """The content as it is stored."""
        return zlib.compress(self.content_bytes, COMPRESSION)

    @cached_property
    def content_digest(self) -> str:
        """SHA-256 of the content; the same characters as text and as bytes differ."""
        kind = b"text:" if isinstance(self.content, str) else b"bytes:"
        return hashlib.sha256(kind + self.content_bytes).hexdigest()

    @cached_property
    def url_digest(self) -> str:
        """SHA-256 of the URL."""
        return hashlib.sha256(self.url.encode("utf-8", errors="surrogatepass")).hexdigest()


@dataclass(frozen=True)
class ReadPage:
    """What parsing tells of a page.

    Parameters
    ----------
    tree
        Its element tree; None where the page was refused.
    encoding
        Of its bytes.
    comment_pattern
        Where its comments stand, see `StoredPage.comment_pattern`.
    outcome, outcome_detail
        Of a page that was refused.
    """

    tree: Tree | None = None
    encoding: str | None = None
    comment_pattern: str | None = None
    outcome: str | None = None
    outcome_detail: str | None = None


@dataclass(frozen=True)
class Recorded:
    """What became of a fetched page."""

    page_id: int
    site_id: int
    result: RecordResult
    has_tree: bool


_LOCK_SITES = (
    select(Site.key, Site.id)
    .where(Site.key == any_(bindparam("keys", type_=ARRAY(Text))))
    .order_by(Site.key)
    .with_for_update()
)
_ADD_SITES = (
    insert(Site)
    .from_select(
        ["key"],
        select(func.unnest(bindparam("keys", type_=ARRAY(Text))).column_valued("new")),
    )
    .on_conflict_do_nothing(index_elements=[Site.key])
    .returning(Site.key, Site.id)
    .execution_options(dml_strategy="raw")
)


def lock_sites(session: Session, keys: Iterable[str]) -> dict[str, int]:
    """Return the ids of sites, made if new, and hold their rows until the transaction ends.

    Pages of a site are thus written one after the other, and each sees those before it.
    """
    # Two transactions that lock the same sites in different orders would deadlock.
    missing = sorted(set(keys))
    locked: dict[str, int] = {}
    while missing:
        locked |= dict(session.execute(_LOCK_SITES, {"keys": missing}).all())
        missing = [key for key in missing if key not in locked]
        if missing:
            locked |= dict(session.execute(_ADD_SITES, {"keys": missing}).all())
            missing = [key for key in missing if key not in locked]
    return locked


def lock_site(session: Session, key: str) -> int:
    """Return the id of a site, made if new, and hold its row until the transaction ends."""
    return lock_sites(session, [key])[key]


def sites_called(session: Session, name: str) -> dict[int, str]:
    """Return the keys of the sites of a name, by id.

    There are several where a sender gives pages of several domains the name of one site
    (`worker.pages.site_key`).
    """
    called_so = or_(Site.key == name, Site.key.startswith(f"{name}@", autoescape=True))
    rows = session.execute(select(Site.id, Site.key).where(called_so).order_by(Site.id))
    return dict(rows.all())


@dataclass(frozen=True)
class TouchedSite:
    """A site after its pages changed.

    Parameters
    ----------
    version
        Its new version.
    has_groups
        Whether it was clustered before.
    """

    version: int
    has_groups: bool


_TOUCH_SITES = (
    update(Site)
    .where(Site.id == any_(bindparam("ids", type_=ARRAY(BigInteger))))
    .values(version=Site.version + 1, changed_at=func.now())
    .returning(Site.id, Site.version, exists().where(Generation.site_id == Site.id))
    .execution_options(synchronize_session=False)
)


def touch_sites(session: Session, site_ids: Iterable[int]) -> dict[int, TouchedSite]:
    """Note that pages of sites changed; return what the sites are then, by id."""
    rows = session.execute(_TOUCH_SITES, {"ids": list(site_ids)})
    return {site_id: TouchedSite(version, has_groups) for site_id, version, has_groups in rows}


def touch_site(session: Session, site_id: int) -> int:
    """Note that pages of the site changed, and return its new version."""
    return touch_sites(session, [site_id])[site_id].version


_KNOWN_PAGES = select(StoredPage).where(
    StoredPage.site_id == any_(bindparam("sites", type_=ARRAY(BigInteger))),
    StoredPage.url_digest == any_(bindparam("digests", type_=ARRAY(Text))),
)


def record_pages(
    session: Session, fetches: Sequence[tuple[int, FetchedPage, ReadPage]]
) -> list[Recorded]:
    """Store fetched pages, or tell why nothing is to be done; their sites must be locked.

    Of two fetches of one URL the later by ``fetched_at`` stands, whatever the
    order they came in; where a date is missing the one that came last does, and
    at equal dates the greater digest. Of equal fetches, the earliest dated and
    then the smallest crawler id is kept, so that a page sent twice gives the
    same article in any order.

    Parameters
    ----------
    session
        The transaction.
    fetches
        Id of the site, the page and what was read of it; no page twice.
    """
    known = {
        (page.site_id, page.url_digest): page
        for page in session.scalars(
            _KNOWN_PAGES,
            {
                "sites": list({site_id for site_id, _, _ in fetches}),
                "digests": [fetched.url_digest for _, fetched, _ in fetches],
            },
        )
    }
    standing = [known.get((site_id, fetched.url_digest)) for site_id, fetched, _ in fetches]
    results = [
        _judge(page, fetched) for page, (_, fetched, _) in zip(standing, fetches, strict=True)
    ]
    tree_ids = trees.save_trees(
        session,
        [
            read.tree
            for result, (_, _, read) in zip(results, fetches, strict=True)
            if result in CHANGES and read.tree is not None
        ],
    )
    new: list[dict[str, Any]] = []
    contents: list[tuple[int, FetchedPage]] = []
    for page, result, (site_id, fetched, read) in zip(standing, results, fetches, strict=True):
        values = {**_of_fetch(fetched), **_of_reading(read, tree_ids)}
        if page is None:
            new.append(
                {
                    "site_id": site_id,
                    "url": fetched.url,
                    "url_digest": fetched.url_digest,
                    **values,
                }
            )
        elif result == "updated":
            _assign(page, values)
            contents.append((page.id, fetched))
        elif result == "duplicate":
            _keep_first(page, fetched)
            if page.html_removed_at is not None:
                page.html_removed_at = None
                contents.append((page.id, fetched))
    added = dict[tuple[int, str], int]()
    if new:
        rows = session.execute(_ADD_PAGES, new)
        added = {(site_id, digest): page_id for page_id, site_id, digest in rows}
    recorded: list[Recorded] = []
    for page, result, (site_id, fetched, read) in zip(standing, results, fetches, strict=True):
        page_id = added[site_id, fetched.url_digest] if page is None else page.id
        if page is None:
            contents.append((page_id, fetched))
        recorded.append(Recorded(page_id, site_id, result, read.tree is not None))
    if contents:
        session.execute(_SAVE_CONTENTS, [_content_row(*each) for each in contents])
    return recorded


CHANGES: Final = ("accepted", "updated")
"""What a fetch is that gives its page another content."""

# Raw: the mapper would make one statement of each set of columns that are not null.
_ADD_PAGES = (
    insert(StoredPage)
    .returning(StoredPage.id, StoredPage.site_id, StoredPage.url_digest)
    .execution_options(dml_strategy="raw")
)
_ADD_RECEIPTS = insert(Receipt).execution_options(dml_strategy="raw")


def _judge(page: StoredPage | None, fetched: FetchedPage) -> RecordResult:
    if page is None:
        return "accepted"
    if page.content_digest == fetched.content_digest:
        return "duplicate"
    if (
        page.fetched_at is not None
        and fetched.fetched_at is not None
        and (page.fetched_at, page.content_digest) > (fetched.fetched_at, fetched.content_digest)
    ):
        return "superseded"
    return "updated"


def _of_fetch(fetched: FetchedPage) -> dict[str, Any]:
    return {
        "crawler_id": fetched.crawler_id,
        "content_type": fetched.content_type,
        "fetched_at": fetched.fetched_at,
        "extra": fetched.extra,
        "content_digest": fetched.content_digest,
        "html_removed_at": None,
    }


def _of_reading(read: ReadPage, tree_ids: Mapping[str, int]) -> dict[str, Any]:
    return {
        "tree_id": tree_ids.get(read.tree.digest) if read.tree is not None else None,
        "encoding": read.encoding,
        "comment_pattern": read.comment_pattern,
        "outcome": read.outcome,
        "outcome_detail": read.outcome_detail,
    }


def _assign(page: StoredPage, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(page, name, value)
    if page.outcome is not None:
        page.forced = False


def save_reading(session: Session, page: StoredPage, read: ReadPage) -> None:
    """Write what parsing a stored page again gave: the tree, or the outcome of a refusal."""
    tree_ids = trees.save_trees(session, [read.tree] if read.tree is not None else [])
    _assign(page, _of_reading(read, tree_ids))


def _keep_first(page: StoredPage, fetched: FetchedPage) -> None:
    def precedence(fetched_at: datetime | None, crawler_id: str | None) -> tuple[bool, float, str]:
        moment = fetched_at.timestamp() if fetched_at else 0.0
        return fetched_at is None, moment, crawler_id or ""

    if precedence(fetched.fetched_at, fetched.crawler_id) < precedence(
        page.fetched_at, page.crawler_id
    ):
        page.fetched_at = fetched.fetched_at
        page.crawler_id = fetched.crawler_id


def _content_row(page_id: int, fetched: FetchedPage) -> dict[str, Any]:
    return {
        "page_id": page_id,
        "compressed": fetched.compressed,
        "is_text": isinstance(fetched.content, str),
    }


def _saving_contents() -> ReturningInsert[int]:
    add = insert(PageContent)
    values = {
        "compressed": add.excluded.compressed,
        "is_text": add.excluded.is_text,
        "stored_at": func.now(),
    }
    # What is returned makes it one statement for all rows.
    return (
        add.on_conflict_do_update(index_elements=[PageContent.page_id], set_=values)
        .returning(PageContent.page_id)
        .execution_options(dml_strategy="raw")
    )


_SAVE_CONTENTS = _saving_contents()


def load_page(session: Session, page_id: int, *, lock: bool = False) -> StoredPage | None:
    """Return a page, locked against other writers if asked."""
    query = select(StoredPage).where(StoredPage.id == page_id)
    return session.scalar(query.with_for_update() if lock else query)


def load_content(session: Session, page_id: int) -> bytes | str | None:
    """Return the page as fetched, text where text was sent; nothing if it was removed."""
    stored = session.execute(
        select(PageContent.compressed, PageContent.is_text).where(PageContent.page_id == page_id)
    ).one_or_none()
    if stored is None:
        return None
    return unpack_content(*stored)


def unpack_content(compressed: bytes, is_text: bool) -> bytes | str:
    """Return a stored content as it was fetched."""
    html = zlib.decompress(compressed)
    return html.decode("utf-8", errors="surrogatepass") if is_text else html


def key_of_site(session: Session, site_id: int) -> str:
    """Return the key of a site."""
    return session.scalars(select(Site.key).where(Site.id == site_id)).one()


def reprocessable_page_ids(session: Session, site_id: int) -> list[int]:
    """Return the ids of the pages of a site whose HTML is kept, ascending."""
    return list(
        session.scalars(
            select(StoredPage.id)
            .where(StoredPage.site_id == site_id, StoredPage.html_removed_at.is_(None))
            .order_by(StoredPage.id)
        )
    )


def pending_with_tree(session: Session, site_id: int) -> list[int]:
    """Return the ids of the pages of a site that could be extracted and wait for it, ascending."""
    return list(
        session.scalars(
            select(StoredPage.id)
            .where(
                StoredPage.site_id == site_id,
                StoredPage.tree_id.is_not(None),
                StoredPage.html_removed_at.is_(None),
                is_pending(),
            )
            .order_by(StoredPage.id)
        )
    )


def force_revisions(session: Session, page_ids: Sequence[int]) -> None:
    """Make the next extraction of these pages give a revision, changed or not."""
    session.execute(
        update(StoredPage)
        .where(StoredPage.id.in_(page_ids), StoredPage.tree_id.is_not(None))
        .values(forced=True)
    )


class NewReceipt(NamedTuple):
    """What became of a message, see `Receipt`."""

    message_id: str | None
    result: str
    reason: str | None = None
    page_id: int | None = None


def add_receipts(session: Session, receipts: Iterable[NewReceipt]) -> None:
    """Note what became of messages."""
    session.execute(_ADD_RECEIPTS, [each._asdict() for each in receipts])


def is_pending() -> ColumnElement[bool]:
    """Condition: the page waits for an outcome, or for a better one."""
    return or_(
        StoredPage.outcome.is_(None),
        StoredPage.forced,
        StoredPage.extracted_generation < StoredPage.generation,
    )
