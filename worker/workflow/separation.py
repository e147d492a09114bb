"""Separation of an address from the page that it joined."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.messaging import task_names
from worker.store import outbox, separations
from worker.store.separations import SeparatedPage


def separate(session: Session, url: str) -> Sequence[SeparatedPage]:
    """Give an address its own page, and request parsing of the new page if its HTML is stored.

    Raise NotJoinedError if the address has not joined another page.
    """
    separated = separations.separate(session, url)
    for each in separated:
        if each.has_content:
            wanted = [{"page_id": each.page_id}]
            outbox.add_tasks(session, task_names.PARSE, wanted, site_id=each.site_id)
    return separated
