"""Comparisons in progress: a site's trees and unfinished blocks."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from sqlalchemy import BigInteger, bindparam, cast, delete, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import ComparisonBlock, NearestReference, ReferenceSet, Site, SiteComparison
from worker.store.statements import rows_only

Nearest: TypeAlias = dict[int, tuple[int, float] | None]
"""Each tree's nearest reference with its normalised distance, by tree ID; None if the tree is too
large to compare."""


@dataclass(frozen=True)
class NewBlock:
    """Comparisons for one task, of the trees in `rows` with those in `columns`; at most `pairs`.

    With `reference_set_id`, the columns are the references in that set, and only the reference
    nearest to each row is needed.
    """

    rows: Sequence[int]
    columns: Sequence[int]
    pairs: int
    reference_set_id: int | None = None


def begin(
    session: Session, site_id: int, *, site_version: int, tree_ids: Sequence[int]
) -> SiteComparison:
    """Start comparing a site's trees."""
    comparison = SiteComparison(site_id=site_id, site_version=site_version, tree_ids=list(tree_ids))
    session.add(comparison)
    session.flush()
    return comparison


def end(session: Session, site_id: int) -> None:
    """Delete a site's comparison and its unfinished blocks."""
    session.execute(delete(SiteComparison).where(SiteComparison.site_id == site_id))


def add_blocks(session: Session, site_id: int, blocks: Sequence[NewBlock]) -> list[int]:
    """Store the blocks of a site's comparison, and return their IDs."""
    ids = session.scalars(
        insert(ComparisonBlock).returning(ComparisonBlock.id),
        [
            {
                "site_id": site_id,
                "reference_set_id": block.reference_set_id,
                "rows": list(block.rows),
                "columns": list(block.columns),
                "pairs": block.pairs,
            }
            for block in blocks
        ],
    ).all()
    pairs = sum(block.pairs for block in blocks)
    session.execute(
        update(Site).where(Site.id == site_id).values(pairs_planned=Site.pairs_planned + pairs)
    )
    return list(ids)


def take_turns(session: Session, site_id: int, milliseconds: int) -> int:
    """Advance the turn of a site's comparison by the cost of blocks; return the previous turn."""
    after = session.scalars(
        update(SiteComparison)
        .where(SiteComparison.site_id == site_id)
        .values(turn=SiteComparison.turn + milliseconds)
        .returning(SiteComparison.turn)
        .execution_options(synchronize_session=False)
    ).one()
    return after - milliseconds


def first_turn(session: Session, site_id: int) -> int:
    """Return the initial turn of a site's comparison."""
    began = cast(func.extract("epoch", SiteComparison.began_at) * 1000, BigInteger)
    return session.scalars(select(began).where(SiteComparison.site_id == site_id)).one()


def is_in_flight(session: Session, site_id: int) -> bool:
    """Return whether a site has unfinished blocks."""
    return bool(session.scalar(_IS_IN_FLIGHT, {"site_id": site_id}))


_IS_IN_FLIGHT = rows_only(
    select(exists().where(ComparisonBlock.site_id == bindparam("site_id", type_=BigInteger)))
)


def ask_again(session: Session, site_id: int, *, patience_seconds: float) -> list[int]:
    """Mark overdue blocks as requested again, and return their IDs."""
    return list(
        session.scalars(
            update(ComparisonBlock)
            .where(
                ComparisonBlock.site_id == site_id,
                ComparisonBlock.asked_at <= func.now() - timedelta(seconds=patience_seconds),
            )
            .values(asked_at=func.now())
            .returning(ComparisonBlock.id)
        )
    )


def take_block(session: Session, block_id: int) -> ComparisonBlock | None:
    """Return a block and count the attempt; return None if the block is finished."""
    return session.scalar(
        update(ComparisonBlock)
        .where(ComparisonBlock.id == block_id)
        .values(attempts=ComparisonBlock.attempts + 1)
        .returning(ComparisonBlock)
    )


def leave_rest(session: Session, block_id: int) -> bool:
    """Record that the rest of a block was requested; return False if the block is finished."""
    return bool(
        session.scalar(
            update(ComparisonBlock)
            .where(ComparisonBlock.id == block_id)
            .values(attempts=0, asked_at=func.now())
            .returning(ComparisonBlock.id)
        )
    )


def lock_for_result(session: Session, site_id: int) -> None:
    """Lock a site, so that the last result of its blocks is recognised as the last.

    Call this before writing anything else, since the intake also locks the site first.
    """
    session.execute(select(Site.id).where(Site.id == site_id).with_for_update())


def finish_block(session: Session, block_id: int) -> bool | None:
    """Delete a finished block; return whether it was the site's last, or None if it is gone."""
    done = session.execute(
        delete(ComparisonBlock)
        .where(ComparisonBlock.id == block_id)
        .returning(ComparisonBlock.site_id, ComparisonBlock.pairs)
    ).one_or_none()
    if done is None:
        return None
    site_id, pairs = done
    session.execute(
        update(Site).where(Site.id == site_id).values(pairs_compared=Site.pairs_compared + pairs)
    )
    return not is_in_flight(session, site_id)


def save_set(session: Session, site_id: int, tree_ids: Sequence[int]) -> int:
    """Store a reference set if it does not exist, and return its ID."""
    digest = hashlib.sha256(" ".join(map(str, tree_ids)).encode()).hexdigest()
    session.execute(
        insert(ReferenceSet)
        .values(site_id=site_id, digest=digest, tree_ids=list(tree_ids))
        .on_conflict_do_nothing(index_elements=[ReferenceSet.site_id, ReferenceSet.digest])
    )
    return session.scalars(
        select(ReferenceSet.id).where(
            ReferenceSet.site_id == site_id, ReferenceSet.digest == digest
        )
    ).one()


def sets_of_site(session: Session, site_id: int) -> dict[int, list[int]]:
    """Return the references in each of a site's reference sets, by set ID."""
    rows = session.execute(
        select(ReferenceSet.id, ReferenceSet.tree_ids)
        .where(ReferenceSet.site_id == site_id)
        .order_by(ReferenceSet.id)
    )
    return {set_id: list(tree_ids) for set_id, tree_ids in rows}


def keep_sets(session: Session, site_id: int, set_ids: Sequence[int]) -> None:
    """Delete a site's reference sets and their nearest references, except the given sets."""
    session.execute(
        delete(ReferenceSet).where(ReferenceSet.site_id == site_id, ReferenceSet.id.not_in(set_ids))
    )


def load_nearest(session: Session, set_id: int, tree_ids: Sequence[int]) -> Nearest:
    """Return the stored nearest references, by tree ID."""
    rows = session.execute(
        select(
            NearestReference.tree_id, NearestReference.reference_id, NearestReference.distance
        ).where(
            NearestReference.reference_set_id == set_id,
            NearestReference.tree_id.in_(tree_ids),
        )
    )
    return {
        tree_id: None if reference_id is None or distance is None else (reference_id, distance)
        for tree_id, reference_id, distance in rows
    }


def save_nearest(session: Session, set_id: int, nearest: Nearest) -> None:
    """Store the nearest references of trees, without replacing stored ones."""
    values = [
        {
            "reference_set_id": set_id,
            "tree_id": tree_id,
            "reference_id": found and found[0],
            "distance": found and found[1],
        }
        for tree_id, found in sorted(nearest.items())
    ]
    if values:
        session.execute(insert(NearestReference).on_conflict_do_nothing(), values)
