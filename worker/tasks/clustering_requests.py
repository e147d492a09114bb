"""Requests for clusterings, in the transaction that makes them necessary."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.messaging import task_names
from worker.store import clusterings, outbox


def request_clusterings(session: Session, site_ids: Sequence[int]) -> None:
    """Have sites clustered; until a worker takes that up, no look for sites asks for it again."""
    clusterings.note_asked(session, site_ids)
    outbox.add_tasks_of_sites(
        session, task_names.CLUSTER, [(site_id, {"site_id": site_id}) for site_id in site_ids]
    )
