"""Clustering requests, which are made in the transaction that requires them, and their order.

Tasks are ordered by virtual clocks (Zhang 1990): a site's turn is the time of its request, in
milliseconds, plus the estimated duration of its work. Among simultaneous requests, cheap ones come
first, and a waiting request gains on all later ones, so none starves. Each block of a large site
advances the site's turn by its estimated cost, so that no site blocks the others.
"""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from detourage.template.distance.blocks import BLOCK_SIDE
from worker.messaging import task_names
from worker.store import clusterings, comparisons, outbox
from worker.store.clusterings import DueSite
from worker.store.comparisons import NewBlock

PAGE_MS = 5
"""Estimated duration of a clustering, in milliseconds per page of the site."""

BLOCK_MS = 1000
"""Estimated duration of a full block, in milliseconds."""

CORRECTION_MS = 300_000
"""Delay, in milliseconds, for sites that already have groups, and therefore articles, which a
clustering can only improve."""


def request_due_clusterings(session: Session, due: Sequence[DueSite]) -> None:
    """Enqueue the clusterings of due sites.

    A site becomes due again only once a worker has started its clustering.
    """
    if not due:
        return
    clusterings.note_asked(session, [site.id for site in due])
    now = outbox.clock(session)
    outbox.add_tasks_in_turn(
        session,
        task_names.CLUSTER,
        [
            (
                site.id,
                {"site_id": site.id},
                now + PAGE_MS * site.pages + (0 if site.is_new else CORRECTION_MS),
            )
            for site in due
        ],
    )


def continue_clustering(session: Session, site_id: int) -> None:
    """Enqueue a clustering whose comparisons are finished, at the site's first turn."""
    clusterings.note_asked(session, [site_id])
    turn = comparisons.first_turn(session, site_id)
    arguments = {"site_id": site_id}
    outbox.add_tasks_in_turn(session, task_names.CLUSTER, [(site_id, arguments, turn)])


def request_blocks(session: Session, site_id: int, blocks: Sequence[NewBlock]) -> None:
    """Enqueue comparison blocks of a site, and advance its turn."""
    block_ids = comparisons.add_blocks(session, site_id, blocks)
    costs = [max(1, round(BLOCK_MS * min(1, block.pairs / BLOCK_SIDE**2))) for block in blocks]
    turn = comparisons.take_turns(session, site_id, sum(costs))
    wanted = []
    for block_id, cost in zip(block_ids, costs, strict=True):
        wanted.append((site_id, {"block_id": block_id}, turn))
        turn += cost
    outbox.add_tasks_in_turn(session, task_names.COMPARE, wanted)


def request_rest(session: Session, site_id: int, block_id: int) -> None:
    """Enqueue the rest of a partly compared block, and advance the site's turn."""
    turn = comparisons.take_turns(session, site_id, BLOCK_MS)
    outbox.add_tasks_in_turn(session, task_names.COMPARE, [(site_id, {"block_id": block_id}, turn)])


def request_blocks_again(session: Session, site_id: int, block_ids: Sequence[int]) -> None:
    """Enqueue a site's overdue blocks again, whose messages must have been lost."""
    turn = comparisons.first_turn(session, site_id)
    wanted = [(site_id, {"block_id": block_id}, turn) for block_id in block_ids]
    outbox.add_tasks_in_turn(session, task_names.COMPARE, wanted)
