"""Comparisons in progress: the trees of a site and its unfinished blocks."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import BigInteger, bindparam, cast, delete, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import ComparisonBlock, NearestReference, ReferenceSet, Site, SiteComparison
from worker.store.statements import rows_only


@dataclass(frozen=True)
class NewBlock:
    """Comparisons for one task: every row with every column, both ids of trees.

    `pairs` is the maximum number of comparisons. With `reference_set_id`, the columns are that set
    of references, and only the nearest of them is needed.
    """

    rows: Sequence[int]
    columns: Sequence[int]
    pairs: int
    reference_set_id: int | None = None


def begin(
    session: Session, site_id: int, *, site_version: int, tree_ids: Sequence[int]
) -> SiteComparison:
    """Begin the comparison of a site's trees."""
    comparison = SiteComparison(site_id=site_id, site_version=site_version, tree_ids=list(tree_ids))
    session.add(comparison)
    session.flush()
    return comparison


def end(session: Session, site_id: int) -> None:
    """Remove the comparison of a site with its unfinished blocks."""
    session.execute(delete(SiteComparison).where(SiteComparison.site_id == site_id))


def add_blocks(session: Session, site_id: int, blocks: Sequence[NewBlock]) -> list[int]:
    """Store blocks of a site's comparison, and return their ids."""
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
    """Advance the turn of a site's comparison by the cost of blocks; return the turn before."""
    after = session.scalars(
        update(SiteComparison)
        .where(SiteComparison.site_id == site_id)
        .values(turn=SiteComparison.turn + milliseconds)
        .returning(SiteComparison.turn)
        .execution_options(synchronize_session=False)
    ).one()
    return after - milliseconds


def first_turn(session: Session, site_id: int) -> int:
    """Return the turn that the comparison of a site began with."""
    began = cast(func.extract("epoch", SiteComparison.began_at) * 1000, BigInteger)
    return session.scalars(select(began).where(SiteComparison.site_id == site_id)).one()


def is_in_flight(session: Session, site_id: int) -> bool:
    """Return whether a site has unfinished blocks."""
    return bool(session.scalar(_IS_IN_FLIGHT, {"site_id": site_id}))


_IS_IN_FLIGHT = rows_only(
    select(exists().where(ComparisonBlock.site_id == bindparam("site_id", type_=BigInteger)))
)


def ask_again(session: Session, site_id: int, *, patience_seconds: float) -> list[int]:
    """Mark overdue blocks as requested again, and return their ids."""
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
    """Return a block, counting the attempt; None if it is done."""
    return session.scalar(
        update(ComparisonBlock)
        .where(ComparisonBlock.id == block_id)
        .values(attempts=ComparisonBlock.attempts + 1)
        .returning(ComparisonBlock)
    )


def leave_rest(session: Session, block_id: int) -> bool:
    """Note that a block is partly done and its rest requested; return False if it is finished."""
    return bool(
        session.scalar(
            update(ComparisonBlock)
            .where(ComparisonBlock.id == block_id)
            .values(attempts=0, asked_at=func.now())
            .returning(ComparisonBlock.id)
        )
    )


def lock_for_result(session: Session, site_id: int) -> None:
    """Serialise the results of a site's blocks, so that the last one sees that it is the last.

    To be called before anything else is written: the intake, too, locks the site first.
    """
    session.execute(select(Site.id).where(Site.id == site_id).with_for_update())


@dataclass(frozen=True)
class Finished:
    """A finished block; `is_last` is whether it is the last one of its site."""

    is_last: bool


def finish_block(session: Session, block_id: int) -> Finished | None:
    """Remove a finished block; None if it is already removed."""
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
    return Finished(is_last=not is_in_flight(session, site_id))


@dataclass(frozen=True)
class StoredNearest:
    """The reference nearest to a tree, and their normalised distance.

    Both are None if the tree is too large to compare.
    """

    reference_id: int | None
    distance: float | None


def save_set(session: Session, site_id: int, tree_ids: Sequence[int]) -> int:
    """Store a set of references unless it exists, and return its id."""
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
    """Return the references of each set of a site, by the id of the set."""
    rows = session.execute(
        select(ReferenceSet.id, ReferenceSet.tree_ids)
        .where(ReferenceSet.site_id == site_id)
        .order_by(ReferenceSet.id)
    )
    return {set_id: list(tree_ids) for set_id, tree_ids in rows}


def keep_sets(session: Session, site_id: int, set_ids: Sequence[int]) -> None:
    """Remove all reference sets of a site except these, with their nearest references."""
    session.execute(
        delete(ReferenceSet).where(ReferenceSet.site_id == site_id, ReferenceSet.id.not_in(set_ids))
    )


def load_nearest(
    session: Session, set_id: int, tree_ids: Sequence[int]
) -> dict[int, StoredNearest]:
    """Return the stored nearest references by tree."""
    rows = session.execute(
        select(
            NearestReference.tree_id, NearestReference.reference_id, NearestReference.distance
        ).where(
            NearestReference.reference_set_id == set_id,
            NearestReference.tree_id.in_(tree_ids),
        )
    )
    return {
        tree_id: StoredNearest(reference_id, distance) for tree_id, reference_id, distance in rows
    }


def save_nearest(session: Session, set_id: int, nearest: Mapping[int, StoredNearest]) -> None:
    """Store the nearest references of trees; existing ones stay."""
    values = [
        {
            "reference_set_id": set_id,
            "tree_id": tree_id,
            "reference_id": each.reference_id,
            "distance": each.distance,
        }
        for tree_id, each in sorted(nearest.items())
    ]
    if values:
        session.execute(insert(NearestReference).on_conflict_do_nothing(), values)
