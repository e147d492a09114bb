"""An address taken from the page that it joined."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.messaging import task_names
from worker.store import outbox, separations
from worker.store.separations import Separated


def separate(session: Session, url: str) -> Sequence[Separated]:
    """Make an address a page of its own, and have that parsed where its HTML is known.

    Parameters
    ----------
    session
        The transaction.
    url
        The address.

    Raises
    ------
    NotJoinedError
        If it joined none.
    """
    separated = separations.separate(session, url)
    for each in separated:
        if each.has_content:
            wanted = [{"page_id": each.page_id}]
            outbox.add_tasks(session, task_names.PARSE, wanted, site_id=each.site_id)
    return separated
