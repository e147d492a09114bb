"""What pages tell of their templates."""

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import PageKnowledge


def load_knowledge(session: Session, page_id: int, content_digest: str) -> bytes | None:
    """Return what was learned from a page, or nothing if it was never, or from another fetch."""
    return session.scalar(
        select(PageKnowledge.packed).where(
            PageKnowledge.page_id == page_id, PageKnowledge.content_digest == content_digest
        )
    )


def save_knowledge(session: Session, page_id: int, content_digest: str, packed: bytes) -> None:
    """Store what was learned from a page, instead of what was before."""
    values = {"content_digest": content_digest, "packed": packed}
    session.execute(
        insert(PageKnowledge)
        .values(page_id=page_id, **values)
        .on_conflict_do_update(index_elements=[PageKnowledge.page_id], set_=values)
    )
