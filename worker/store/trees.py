"""Trees and the distances between them; equal trees are stored once."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from sqlalchemy import ARRAY, BigInteger, any_, bindparam, delete, or_, select, text
from sqlalchemy.orm import Session

from models.tables import Distance, StoredPage, StoredTree
from worker.html import Tree, TreeShape
from worker.store.statements import rows_only

_ADD_TREES = text("""
    INSERT INTO trees (digest, size, packed) SELECT * FROM unnest(
        CAST(:digests AS text[]), CAST(:sizes AS integer[]), CAST(:packed AS bytea[])
    )
    ON CONFLICT (digest) DO NOTHING RETURNING digest, id
""")

# Locks trees until their pages are written; otherwise they could be removed as orphans.
_HOLD_TREES = text("""
    SELECT digest, id FROM trees WHERE digest = ANY (CAST(:digests AS text[]))
    ORDER BY digest FOR KEY SHARE
""")


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


_IS_ASKED_FOR = StoredTree.id == any_(bindparam("tree_ids", type_=ARRAY(BigInteger)))
_TREES = rows_only(
    select(StoredTree.id, StoredTree.packed).where(_IS_ASKED_FOR).order_by(StoredTree.id)
)
_SHAPES = rows_only(
    select(StoredTree.id, StoredTree.digest, StoredTree.size)
    .where(_IS_ASKED_FOR)
    .order_by(StoredTree.id)
)
_SITE_SHAPES = text("""
    SELECT id, digest, size FROM trees
    WHERE id IN (SELECT tree_id FROM pages WHERE site_id = :site_id AND tree_id IS NOT NULL)
    ORDER BY id
""")


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

    Distances are NaN if they are not stored or the trees cannot be compared.
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


_SAVE_DISTANCES = text("""
    INSERT INTO distances (lower_tree_id, higher_tree_id, distance) SELECT * FROM unnest(
        CAST(:lower AS bigint[]), CAST(:higher AS bigint[]), CAST(:distances AS integer[])
    )
    ON CONFLICT DO NOTHING
""")


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
