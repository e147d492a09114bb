"""Trees and the distances between them; equal trees are stored once."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    LargeBinary,
    Text,
    any_,
    bindparam,
    delete,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import Distance, StoredPage, StoredTree
from worker.html import Tree, TreeShape
from worker.store.statements import rows_only

_ADD_TREES = rows_only(
    insert(StoredTree)
    .from_select(
        ["digest", "size", "packed"],
        select(
            func.unnest(
                bindparam("digests", type_=ARRAY(Text)),
                bindparam("sizes", type_=ARRAY(Integer)),
                bindparam("packed", type_=ARRAY(LargeBinary)),
            )
            .table_valued("digest", "size", "packed", name="new")
            .render_derived()
        ),
    )
    .on_conflict_do_nothing(index_elements=[StoredTree.digest])
    .returning(StoredTree.digest, StoredTree.id)
    .execution_options(dml_strategy="raw")
)

# Locks trees until their pages are written; otherwise they could be removed as orphans.
_HOLD_TREES = rows_only(
    select(StoredTree.digest, StoredTree.id)
    .where(StoredTree.digest == any_(bindparam("digests", type_=ARRAY(Text))))
    .order_by(StoredTree.digest)
    .with_for_update(read=True, key_share=True)
)


def save_trees(session: Session, trees: Iterable[Tree]) -> dict[str, int]:
    """Store trees that are not yet stored, and return the IDs of all by digest."""
    # Transactions that insert the same rows in different orders would deadlock.
    missing = dict(sorted({tree.digest: tree for tree in trees}.items()))
    stored: dict[str, int] = {}
    while missing:
        new = {
            "digests": list(missing),
            "sizes": [len(tree) for tree in missing.values()],
            "packed": [tree.to_bytes() for tree in missing.values()],
        }
        stored |= dict(session.execute(_ADD_TREES, new).all())
        there = [digest for digest in missing if digest not in stored]
        if there:
            stored |= dict(session.execute(_HOLD_TREES, {"digests": there}).all())
        missing = {digest: tree for digest, tree in missing.items() if digest not in stored}
    return stored


def save_tree(session: Session, tree: Tree) -> int:
    """Store a tree unless an equal one is already stored, and return its ID."""
    return save_trees(session, [tree])[tree.digest]


_IS_ASKED_FOR = StoredTree.id == any_(bindparam("tree_ids", type_=ARRAY(BigInteger)))
_TREES = rows_only(
    select(StoredTree.id, StoredTree.packed).where(_IS_ASKED_FOR).order_by(StoredTree.id)
)
_SHAPES = rows_only(
    select(StoredTree.id, StoredTree.digest, StoredTree.size)
    .where(_IS_ASKED_FOR)
    .order_by(StoredTree.id)
)
_SITE_SHAPES = rows_only(
    select(StoredTree.id, StoredTree.digest, StoredTree.size)
    .where(
        StoredTree.id.in_(
            select(StoredPage.tree_id).where(
                StoredPage.site_id == bindparam("site_id"), StoredPage.tree_id.is_not(None)
            )
        )
    )
    .order_by(StoredTree.id)
)


def load_trees(session: Session, tree_ids: Iterable[int]) -> dict[int, Tree]:
    """Return trees by ID, in ascending order of ID."""
    rows = session.execute(_TREES, {"tree_ids": list(tree_ids)})
    return {tree_id: Tree.from_bytes(packed) for tree_id, packed in rows}


def tree_shapes(session: Session, tree_ids: Iterable[int]) -> dict[int, TreeShape]:
    """Return the digest and size of trees by ID, in ascending order of ID."""
    rows = session.execute(_SHAPES, {"tree_ids": list(tree_ids)})
    return {tree_id: TreeShape(digest, size) for tree_id, digest, size in rows}


def site_tree_shapes(session: Session, site_id: int) -> dict[int, TreeShape]:
    """Return the digest and size of a site's distinct trees by ID, in ascending order of ID."""
    rows = session.execute(_SITE_SHAPES, {"site_id": site_id})
    return {tree_id: TreeShape(digest, size) for tree_id, digest, size in rows}


def site_tree_ids(session: Session, site_id: int, most: int | None = None) -> list[int]:
    """Return the IDs of a site's distinct trees, ascending; at most the first ``most``."""
    return list(
        session.scalars(
            select(StoredPage.tree_id)
            .where(StoredPage.site_id == site_id, StoredPage.tree_id.is_not(None))
            .distinct()
            .order_by(StoredPage.tree_id)
            .limit(most)
        )
    )


def known_distances(
    session: Session, rows: Sequence[int], columns: Sequence[int]
) -> dict[tuple[int, int], int | None]:
    """Return the stored distances between two sets of trees, by ordered pair of IDs."""
    found = session.execute(
        select(Distance.lower_tree_id, Distance.higher_tree_id, Distance.distance).where(
            or_(
                Distance.lower_tree_id.in_(rows) & Distance.higher_tree_id.in_(columns),
                Distance.lower_tree_id.in_(columns) & Distance.higher_tree_id.in_(rows),
            )
        )
    )
    return {(lower, higher): distance for lower, higher, distance in found}


_AMONG = bindparam("tree_ids", type_=ARRAY(BigInteger))
_DISTANCES = rows_only(
    select(Distance.lower_tree_id, Distance.higher_tree_id, Distance.distance).where(
        Distance.lower_tree_id == any_(_AMONG), Distance.higher_tree_id == any_(_AMONG)
    )
)


def distance_matrix(
    session: Session, tree_ids: Sequence[int]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the raw distances among trees (by ascending ID), and a mask of the stored ones.

    Distances are NaN if they are not stored or the trees cannot be compared. The mask is True on
    the diagonal.
    """
    distances = np.full((len(tree_ids), len(tree_ids)), np.nan)
    is_stored = np.eye(len(tree_ids), dtype=np.bool_)
    np.fill_diagonal(distances, 0)
    if len(tree_ids) < 2:
        return distances, is_stored
    rows = session.execute(_DISTANCES, {"tree_ids": list(tree_ids)})
    # NULL becomes NaN.
    stored = np.array([tuple(row) for row in rows], np.float64).reshape(-1, 3)
    i, j = np.searchsorted(tree_ids, stored[:, :2].astype(np.int64)).T
    distances[i, j] = distances[j, i] = stored[:, 2]
    is_stored[i, j] = is_stored[j, i] = True
    return distances, is_stored


_SAVE_DISTANCES = rows_only(
    insert(Distance)
    .from_select(
        ["lower_tree_id", "higher_tree_id", "distance"],
        select(
            func.unnest(
                bindparam("lower", type_=ARRAY(BigInteger)),
                bindparam("higher", type_=ARRAY(BigInteger)),
                bindparam("distances", type_=ARRAY(Integer)),
            )
            .table_valued("lower", "higher", "distance", name="computed")
            .render_derived()
        ),
    )
    .on_conflict_do_nothing()
    .execution_options(dml_strategy="raw")
)


def save_distances(session: Session, distances: Mapping[tuple[int, int], int | None]) -> None:
    """Store distances by ordered pair of tree IDs, without replacing stored ones."""
    if not distances:
        return
    # Tasks that insert the same rows in different orders would deadlock.
    pairs = sorted(distances)
    session.execute(
        _SAVE_DISTANCES,
        {
            "lower": [lower for lower, _ in pairs],
            "higher": [higher for _, higher in pairs],
            "distances": [distances[pair] for pair in pairs],
        },
    )


def forget_distances(session: Session, tree_ids: Sequence[int]) -> None:
    """Delete the distances among the given trees."""
    session.execute(
        delete(Distance).where(
            Distance.lower_tree_id.in_(tree_ids), Distance.higher_tree_id.in_(tree_ids)
        )
    )
