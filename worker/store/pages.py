"""Pages, their sites and their contents."""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import PageContent, Receipt, Site, StoredPage

RecordResult = Literal["accepted", "updated", "duplicate", "superseded"]


@dataclass(frozen=True)
class FetchedPage:
    """A page as the crawler sent it, with what parsing said of it."""

    site: str
    url: str
    content: bytes | str
    crawler_id: str | None
    content_type: str | None
    fetched_at: datetime | None
    extra: str

    @property
    def content_bytes(self) -> bytes:
        """The content as it is stored."""
        if isinstance(self.content, str):
            return self.content.encode("utf-8", errors="surrogatepass")
        return self.content

    @property
    def content_digest(self) -> str:
        """SHA-256 of the content; the same characters as text and as bytes differ."""
        kind = b"text:" if isinstance(self.content, str) else b"bytes:"
        return hashlib.sha256(kind + self.content_bytes).hexdigest()

    @property
    def url_digest(self) -> str:
        """SHA-256 of the URL."""
        return hashlib.sha256(self.url.encode("utf-8", errors="surrogatepass")).hexdigest()


def lock_site(session: Session, key: str) -> int:
    """Return the id of a site, made if new, and hold its row until the transaction ends.

    Pages of a site are thus written one after the other, and each sees those before it.
    """
    known = select(Site.id).where(Site.key == key).with_for_update()
    site_id = session.scalar(known)
    if site_id is not None:
        return site_id
    session.execute(insert(Site).values(key=key).on_conflict_do_nothing(index_elements=[Site.key]))
    return session.scalars(known).one()


def sites_called(session: Session, name: str) -> dict[int, str]:
    """Return the keys of the sites of a name, by id.

    There are several where a sender gives pages of several domains the name of one site
    (`worker.pages.site_key`).
    """
    called_so = or_(Site.key == name, Site.key.startswith(f"{name}@", autoescape=True))
    rows = session.execute(select(Site.id, Site.key).where(called_so).order_by(Site.id))
    return dict(rows.all())


def touch_site(session: Session, site_id: int) -> int:
    """Note that pages of the site changed, and return its new version."""
    return session.scalars(
        update(Site)
        .where(Site.id == site_id)
        .values(version=Site.version + 1, changed_at=func.now())
        .returning(Site.version)
    ).one()


def record_page(
    session: Session, site_id: int, fetched: FetchedPage
) -> tuple[StoredPage, RecordResult]:
    """Store a fetched page, or tell why nothing is to be done; the site must be locked.

    Of two fetches of one URL the later by ``fetched_at`` stands, whatever the
    order they came in; where a date is missing the one that came last does, and
    at equal dates the greater digest. Of equal fetches, the earliest dated and
    then the smallest crawler id is kept, so that a page sent twice gives the
    same article in any order.
    """
    page = session.scalar(
        select(StoredPage).where(
            StoredPage.site_id == site_id, StoredPage.url_digest == fetched.url_digest
        )
    )
    if page is None:
        page = StoredPage(site_id=site_id, url=fetched.url, url_digest=fetched.url_digest)
        _overwrite(page, fetched)
        session.add(page)
        session.flush()
        _save_content(session, page.id, fetched)
        return page, "accepted"
    if page.content_digest == fetched.content_digest:
        _keep_first(page, fetched)
        if page.html_removed_at is not None:
            page.html_removed_at = None
            _save_content(session, page.id, fetched)
        return page, "duplicate"
    if (
        page.fetched_at is not None
        and fetched.fetched_at is not None
        and (page.fetched_at, page.content_digest) > (fetched.fetched_at, fetched.content_digest)
    ):
        return page, "superseded"
    _overwrite(page, fetched)
    _save_content(session, page.id, fetched)
    return page, "updated"


def _overwrite(page: StoredPage, fetched: FetchedPage) -> None:
    page.crawler_id = fetched.crawler_id
    page.content_type = fetched.content_type
    page.fetched_at = fetched.fetched_at
    page.extra = fetched.extra
    page.content_digest = fetched.content_digest
    page.encoding = None
    page.tree_id = None
    page.outcome = None
    page.outcome_detail = None
    page.html_removed_at = None


def _keep_first(page: StoredPage, fetched: FetchedPage) -> None:
    def precedence(fetched_at: datetime | None, crawler_id: str | None) -> tuple[bool, float, str]:
        moment = fetched_at.timestamp() if fetched_at else 0.0
        return fetched_at is None, moment, crawler_id or ""

    if precedence(fetched.fetched_at, fetched.crawler_id) < precedence(
        page.fetched_at, page.crawler_id
    ):
        page.fetched_at = fetched.fetched_at
        page.crawler_id = fetched.crawler_id


def _save_content(session: Session, page_id: int, fetched: FetchedPage) -> None:
    values = {
        "compressed": zlib.compress(fetched.content_bytes),
        "is_text": isinstance(fetched.content, str),
        "stored_at": func.now(),
    }
    session.execute(
        insert(PageContent)
        .values(page_id=page_id, **values)
        .on_conflict_do_update(index_elements=[PageContent.page_id], set_=values)
    )


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


def site_key(session: Session, site_id: int) -> str:
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


def add_receipt(
    session: Session,
    *,
    message_id: str | None,
    result: str,
    reason: str | None = None,
    page_id: int | None = None,
) -> None:
    """Note what became of a message."""
    session.add(Receipt(message_id=message_id, result=result, reason=reason, page_id=page_id))


def is_pending() -> ColumnElement[bool]:
    """Condition: the page waits for an outcome, or for a better one."""
    return or_(
        StoredPage.outcome.is_(None),
        StoredPage.forced,
        StoredPage.extracted_generation < StoredPage.generation,
    )
