"""Comparisons in progress: a site's trees and unfinished blocks."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import ComparisonBlock
from worker.store.queries import Statements

SQL = Statements("comparisons")

Nearest: TypeAlias = dict[int, tuple[int, float] | None]
"""ID and normalised distance of each tree's nearest reference tree, or None if the tree is too
large to compare; by tree ID."""


class NewBlock(NamedTuple):
    """At most `pairs` comparisons for one task, of trees in `rows` with trees in `columns`."""

    rows: Sequence[int]
    columns: Sequence[int]
    pairs: int
    reference_set_id: int | None = None  # ID of the set in `columns`, if only the nearest is needed


class Block(NamedTuple):
    """A block of comparisons for which an attempt was counted; see `ComparisonBlock`."""

    id: int
    site_id: int
    reference_set_id: int | None
    rows: list[int]
    columns: list[int]
    attempts: int


def add_blocks(session: Session, site_id: int, blocks: Sequence[NewBlock]) -> list[int]:
    """Store the blocks of a site's comparison, and return their IDs."""
    values = [
        {**block._asdict(), "site_id": site_id, "rows": [*block.rows], "columns": [*block.columns]}
        for block in blocks
    ]
    ids = session.scalars(insert(ComparisonBlock).returning(ComparisonBlock.id), values).all()
    pairs = sum(block.pairs for block in blocks)
    session.execute(SQL.count_planned, {"site_id": site_id, "pairs": pairs})
    return list(ids)


def save_set(session: Session, site_id: int, tree_ids: Sequence[int]) -> int:
    """Store a reference set if it does not exist, and return its ID."""
    digest = hashlib.sha256(" ".join(map(str, tree_ids)).encode()).hexdigest()
    values = {"site_id": site_id, "digest": digest, "tree_ids": list(tree_ids)}
    session.execute(SQL.add_set, values)
    return int(session.execute(SQL.id_of_set, values).scalar_one())


def load_nearest(session: Session, set_id: int, tree_ids: Sequence[int]) -> Nearest:
    """Return the stored nearest references, by tree ID."""
    rows = session.execute(SQL.load_nearest, {"set_id": set_id, "ids": list(tree_ids)})
    return {
        tree_id: None if reference_id is None else (reference_id, distance)
        for tree_id, reference_id, distance in rows
    }


def save_nearest(session: Session, set_id: int, nearest: Nearest) -> None:
    """Store the nearest references of trees, without replacing stored ones."""
    if nearest:
        pairs = [nearest[tree_id] or (None, None) for tree_id in sorted(nearest)]
        references, distances = map(list, zip(*pairs, strict=True))
        columns = {"tree_ids": sorted(nearest), "references": references, "distances": distances}
        session.execute(SQL.save_nearest, {"set_id": set_id, **columns})
