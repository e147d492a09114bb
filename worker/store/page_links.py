"""The most recently published links of pages."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import ARRAY, BigInteger, any_, bindparam, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import PageLinks, StoredPage
from worker.store.runs import of_run
from worker.store.statements import rows_only

_LAST_IDS = rows_only(
    select(PageLinks.page_id, PageLinks.message["id"].astext).where(
        PageLinks.page_id == any_(bindparam("page_ids", type_=ARRAY(BigInteger)))
    )
)


def last_ids(session: Session, page_ids: Collection[int]) -> dict[int, str]:
    """Return the IDs of pages' latest links messages, by page ID."""
    rows = session.execute(_LAST_IDS, {"page_ids": list(page_ids)})
    return dict(map(tuple, rows))


def save(session: Session, messages: Mapping[int, dict[str, Any]]) -> None:
    """Record the links messages of pages, which must be locked."""
    new = insert(PageLinks).values(
        [{"page_id": page_id, "message": message} for page_id, message in messages.items()]
    )
    session.execute(
        new.on_conflict_do_update(
            index_elements=[PageLinks.page_id],
            set_={"message": new.excluded.message, "sent_at": func.now()},
        )
    )


def links_of_run(session: Session, message_prefix: str) -> Iterator[dict[str, Any]]:
    """Yield the links messages of a run's pages, ordered by site and URL."""
    query = select(PageLinks.message).join(StoredPage, StoredPage.id == PageLinks.page_id)
    yield from session.scalars(of_run(query, message_prefix))
