"""Trees and the distances between them, keyed by structure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import delete, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import Distance, StoredPage, StoredTree
from worker.pages import Tree


@dataclass(frozen=True)
class TreeShape:
    """What can be told of a tree without its nodes."""

    digest: str
    size: int


def save_tree(session: Session, tree: Tree) -> int:
    """Store the tree unless an equal one is there, and return its id."""
    add = (
        insert(StoredTree)
        .values(digest=tree.digest, size=len(tree), packed=tree.to_bytes())
        .on_conflict_do_nothing(index_elements=[StoredTree.digest])
        .returning(StoredTree.id)
    )
    # Held until the page that has it is written: it could be removed as nobody's.
    hold = (
        select(StoredTree.id)
        .where(StoredTree.digest == tree.digest)
        .with_for_update(read=True, key_share=True)
    )
    while True:
        tree_id = session.scalar(add)
        if tree_id is None:
            tree_id = session.scalar(hold)
        if tree_id is not None:
            return tree_id


def load_trees(session: Session, tree_ids: Iterable[int]) -> dict[int, Tree]:
    """Return the trees by id, in the order of the ids."""
    rows = session.execute(
        select(StoredTree.id, StoredTree.packed)
        .where(StoredTree.id.in_(list(tree_ids)))
        .order_by(StoredTree.id)
    )
    return {tree_id: Tree.from_bytes(packed) for tree_id, packed in rows}


def tree_shapes(session: Session, tree_ids: Iterable[int]) -> dict[int, TreeShape]:
    """Return digest and number of nodes by tree id, in the order of the ids."""
    rows = session.execute(
        select(StoredTree.id, StoredTree.digest, StoredTree.size)
        .where(StoredTree.id.in_(list(tree_ids)))
        .order_by(StoredTree.id)
    )
    return {tree_id: TreeShape(digest, size) for tree_id, digest, size in rows}


def site_tree_ids(session: Session, site_id: int) -> list[int]:
    """Return the ids of the distinct trees of a site, ascending."""
    return list(
        session.scalars(
            select(StoredPage.tree_id)
            .where(StoredPage.site_id == site_id, StoredPage.tree_id.is_not(None))
            .distinct()
            .order_by(StoredPage.tree_id)
        )
    )


def known_distances(
    session: Session, rows: Sequence[int], columns: Sequence[int]
) -> dict[tuple[int, int], int | None]:
    """Return the stored distances between two sets of trees, by ordered pair of ids."""
    found = session.execute(
        select(Distance.lower_tree_id, Distance.higher_tree_id, Distance.distance).where(
            or_(
                Distance.lower_tree_id.in_(rows) & Distance.higher_tree_id.in_(columns),
                Distance.lower_tree_id.in_(columns) & Distance.higher_tree_id.in_(rows),
            )
        )
    )
    return {(lower, higher): distance for lower, higher, distance in found}


def distance_matrix(
    session: Session, tree_ids: Sequence[int]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the raw distances among trees, and which of them are stored.

    Parameters
    ----------
    session
        The transaction.
    tree_ids
        The trees, ascending.

    Returns
    -------
    tuple of ndarrays, both of shape (len(tree_ids), len(tree_ids))
        The distances, NaN where one is not stored or the trees cannot be compared;
        and True where something is stored, on the diagonal too.
    """
    distances = np.full((len(tree_ids), len(tree_ids)), np.nan)
    is_stored = np.eye(len(tree_ids), dtype=np.bool_)
    np.fill_diagonal(distances, 0)
    rows = session.execute(
        select(Distance.lower_tree_id, Distance.higher_tree_id, Distance.distance).where(
            Distance.lower_tree_id.in_(tree_ids), Distance.higher_tree_id.in_(tree_ids)
        )
    )
    # NULL becomes NaN.
    stored = np.array([tuple(row) for row in rows], np.float64).reshape(-1, 3)
    i, j = np.searchsorted(tree_ids, stored[:, :2].astype(np.int64)).T
    distances[i, j] = distances[j, i] = stored[:, 2]
    is_stored[i, j] = is_stored[j, i] = True
    return distances, is_stored


def save_distances(session: Session, distances: Mapping[tuple[int, int], int | None]) -> None:
    """Store distances by ordered pair of tree ids; those already there stay."""
    # Two tasks that insert the same rows in different orders would deadlock.
    values = [
        {"lower_tree_id": lower, "higher_tree_id": higher, "distance": distance}
        for (lower, higher), distance in sorted(distances.items(), key=lambda item: item[0])
    ]
    if values:
        session.execute(insert(Distance).on_conflict_do_nothing(), values)


def forget_distances(session: Session, tree_ids: Sequence[int]) -> None:
    """Remove the distances among the given trees."""
    session.execute(
        delete(Distance).where(
            Distance.lower_tree_id.in_(tree_ids), Distance.higher_tree_id.in_(tree_ids)
        )
    )
