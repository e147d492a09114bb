"""Requests for clusterings, in the transaction that makes them necessary, and their turns.

A site's turn is the moment at which its clustering was asked for, in milliseconds, and the time
that its work takes, as of a processor of its own: virtual clocks (Zhang 1990). What is cheap
comes first of what is asked for together, and what has waited gains on all that comes later, so
nothing waits for ever. The rounds of a large site's comparison keep the turn that it began with;
each block moves it on by what it takes, so that no site keeps the others waiting either.
"""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.grouping.distance.blocks import BLOCK_SIDE
from worker.messaging import task_names
from worker.store import clusterings, comparisons, outbox
from worker.store.comparisons import NewBlock
from worker.store.due_sites import DueSite

PAGE_MS = 5
"""What a clustering takes for each page of its site."""

BLOCK_MS = 1000
"""What a whole block takes: 0.1 to 2 s for pages of 300 to 800 nodes."""

CORRECTION_SECONDS = 300.0
"""Time by which a site that has groups gives way to those that have none: its pages have articles
already, which its clustering may improve."""


def request_due_clusterings(session: Session, due: Sequence[DueSite]) -> None:
    """Have sites clustered; until a worker takes that up, no look for sites asks for it again."""
    if not due:
        return
    clusterings.note_asked(session, [site.id for site in due])
    now = outbox.clock(session)
    outbox.add_tasks_in_turn(
        session,
        task_names.CLUSTER,
        [(site.id, {"site_id": site.id}, now + _delay_ms(site)) for site in due],
    )


def _delay_ms(site: DueSite) -> int:
    gives_way = 0 if site.is_new else round(1000 * CORRECTION_SECONDS)
    return PAGE_MS * site.pages + gives_way


def continue_clustering(session: Session, site_id: int) -> None:
    """Have the clustering of a site gone on with whose comparisons are done, in its turn."""
    clusterings.note_asked(session, [site_id])
    turn = comparisons.first_turn(session, site_id)
    arguments = {"site_id": site_id}
    outbox.add_tasks_in_turn(session, task_names.CLUSTER, [(site_id, arguments, turn)])


def request_blocks(session: Session, site_id: int, blocks: Sequence[NewBlock]) -> None:
    """Have blocks of a site compared, which goes on in its turn."""
    block_ids = comparisons.add_blocks(session, site_id, blocks)
    costs = [_cost_ms(block) for block in blocks]
    turn = comparisons.take_turns(session, site_id, sum(costs))
    wanted = []
    for block_id, cost in zip(block_ids, costs, strict=True):
        wanted.append((site_id, {"block_id": block_id}, turn))
        turn += cost
    outbox.add_tasks_in_turn(session, task_names.COMPARE, wanted)


def _cost_ms(block: NewBlock) -> int:
    return max(1, round(BLOCK_MS * min(1, block.pairs / BLOCK_SIDE**2)))


def request_rest(session: Session, site_id: int, block_id: int) -> None:
    """Have the rest of a block compared, in the turn of the site."""
    turn = comparisons.take_turns(session, site_id, BLOCK_MS)
    outbox.add_tasks_in_turn(session, task_names.COMPARE, [(site_id, {"block_id": block_id}, turn)])


def request_blocks_again(session: Session, site_id: int, block_ids: Sequence[int]) -> None:
    """Have blocks of a site compared whose messages must have been lost."""
    turn = comparisons.first_turn(session, site_id)
    wanted = [(site_id, {"block_id": block_id}, turn) for block_id in block_ids]
    outbox.add_tasks_in_turn(session, task_names.COMPARE, wanted)
