"""What pages tell of their templates."""

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.dialects.postgresql.dml import Insert
from sqlalchemy.orm import Session

from models.tables import PageKnowledge
from worker.store.statements import rows_only


def load_knowledge(session: Session, page_id: int, content_digest: str) -> bytes | None:
    """Return what was learned from a page, or nothing if it was never, or from another fetch."""
    packed: bytes | None = session.scalar(
        _LOAD, {"page_id": page_id, "content_digest": content_digest}
    )
    return packed


def save_knowledge(session: Session, page_id: int, content_digest: str, packed: bytes) -> None:
    """Store what was learned from a page, instead of what was before."""
    values = {"page_id": page_id, "content_digest": content_digest, "packed": packed}
    session.execute(_SAVE, values)


_LOAD = rows_only(
    select(PageKnowledge.packed).where(
        PageKnowledge.page_id == bindparam("page_id"),
        PageKnowledge.content_digest == bindparam("content_digest"),
    )
)


def _saving() -> Insert:
    add = insert(PageKnowledge)
    return add.on_conflict_do_update(
        index_elements=[PageKnowledge.page_id],
        set_={name: add.excluded[name] for name in ("content_digest", "packed")},
    ).execution_options(dml_strategy="raw")


_SAVE = rows_only(_saving())
