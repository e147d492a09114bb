"""What pages tell of their templates."""

from typing import NamedTuple

from sqlalchemy import and_, bindparam, case, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.dialects.postgresql.dml import Insert
from sqlalchemy.orm import Session

from models.tables import PageContent, PageKnowledge, StoredPage
from worker.store.packing import unpack_content
from worker.store.statements import rows_only


class StoredKnowledge(NamedTuple):
    """What was learned from a page; where nothing was, the page as fetched, if it is kept."""

    packed: bytes | None
    content: bytes | str | None


def load_knowledge(session: Session, page_id: int, content_digest: str) -> StoredKnowledge:
    """Return what was learned from a fetch of a page, or what it can be learned from."""
    wanted = {"page_id": page_id, "content_digest": content_digest}
    found = session.execute(_LOAD, wanted).one_or_none()
    if found is None:
        return StoredKnowledge(None, None)
    packed, compressed, is_text = found
    content = unpack_content(compressed, is_text) if compressed is not None else None
    return StoredKnowledge(packed, content)


def save_knowledge(session: Session, page_id: int, content_digest: str, packed: bytes) -> None:
    """Store what was learned from a page, instead of what was before."""
    values = {"page_id": page_id, "content_digest": content_digest, "packed": packed}
    session.execute(_SAVE, values)


_LOAD = rows_only(
    select(
        PageKnowledge.packed,
        # Only where it is needed: it is as large as the page.
        case((PageKnowledge.page_id.is_(None), PageContent.compressed)),
        PageContent.is_text,
    )
    .select_from(StoredPage)
    .outerjoin(
        PageKnowledge,
        and_(
            PageKnowledge.page_id == StoredPage.id,
            PageKnowledge.content_digest == bindparam("content_digest"),
        ),
    )
    .outerjoin(PageContent, PageContent.page_id == StoredPage.id)
    .where(StoredPage.id == bindparam("page_id"))
)


def _saving() -> Insert:
    add = insert(PageKnowledge)
    return add.on_conflict_do_update(
        index_elements=[PageKnowledge.page_id],
        set_={name: add.excluded[name] for name in ("content_digest", "packed")},
    ).execution_options(dml_strategy="raw")


_SAVE = rows_only(_saving())
