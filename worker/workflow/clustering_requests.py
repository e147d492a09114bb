"""Clustering requests, which are made in the transaction that requires them, and their order.

Sites take turns, as at every task (`worker.store.outbox`). First clusterings and those of sites
that have groups, and therefore articles, each get half of the places.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from sqlalchemy.orm import Session

from worker.messaging import task_names
from worker.store import clusterings, comparisons, outbox
from worker.store.clusterings import DueSite
from worker.store.comparisons import NewBlock


def request_due_clusterings(session: Session, due: Sequence[DueSite]) -> None:
    """Enqueue the clusterings of due sites, smaller sites first.

    A site becomes due again only once a worker has started its clustering.
    """
    if not due:
        return
    clusterings.note_asked(session, [site.id for site in due])
    for is_new, sites in groupby(
        sorted(due, key=attrgetter("is_new", "pages")), key=attrgetter("is_new")
    ):
        wanted = [(site.id, {"site_id": site.id}) for site in sites]
        outbox.add_tasks_of_sites(session, task_names.CLUSTER, wanted, is_short=is_new)


def continue_clustering(session: Session, site_id: int) -> None:
    """Enqueue a clustering whose comparisons are finished; the site had its turn before them."""
    clusterings.note_asked(session, [site_id])
    wanted = (site_id, {"site_id": site_id}, outbox.FIRST_TURN)
    outbox.add_tasks_in_turn(session, task_names.CLUSTER, [wanted])


def request_blocks(session: Session, site_id: int, blocks: Sequence[NewBlock]) -> None:
    """Enqueue comparison blocks of a site."""
    block_ids = comparisons.add_blocks(session, site_id, blocks)
    request_stored_blocks(session, site_id, block_ids)


def request_stored_blocks(session: Session, site_id: int, block_ids: Sequence[int]) -> None:
    """Enqueue stored blocks: their rest, or whole, if their messages must have been lost."""
    wanted = [{"block_id": block_id} for block_id in block_ids]
    outbox.add_tasks(session, task_names.COMPARE, wanted, site_id=site_id)
