"""Trees and the distances between them; equal trees are stored once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from detourage.html import Tree, TreeFormatError
from worker.store.queries import Statements

SQL = Statements("trees")

Distances: TypeAlias = dict[tuple[int, int], int | None]
"""Distances by ordered pair of tree IDs, or None if the trees cannot be compared."""


def save_trees(session: Session, trees: Iterable[Tree | None]) -> dict[str, int]:
    """Store new trees, and return the IDs of all the given trees by digest."""
    params = tree_params(trees)
    return dict(session.execute(SQL.save_trees, params).all()) if params["digests"] else {}


def tree_params(trees: Iterable[Tree | None]) -> dict[str, list[Any]]:
    """Return the parameters of the fragment ``stored`` for trees."""
    distinct = {tree.digest: tree for tree in trees if tree is not None}
    return {
        "digests": list(distinct),
        "sizes": [len(tree) for tree in distinct.values()],
        "packed": [tree.to_bytes() for tree in distinct.values()],
    }


def load_trees(
    session: Session, tree_ids: Iterable[int], stored: Mapping[int, bytes] = {}
) -> tuple[dict[int, Tree], dict[int, TreeFormatError]]:
    """Return trees by ID, and the errors of damaged ones; trees in `stored` are not queried."""
    found: dict[int, Tree] = {}
    damaged: dict[int, TreeFormatError] = {}
    missing = [tree_id for tree_id in tree_ids if tree_id not in stored]
    rows = session.execute(SQL.load_trees, {"ids": missing}) if missing else ()
    for tree_id, packed in (*stored.items(), *rows):
        try:
            found[tree_id] = Tree.from_bytes(bytes(packed))
        except TreeFormatError as error:
            damaged[tree_id] = error
    return found, damaged


def remove_trees(session: Session, tree_ids: Collection[int]) -> list[tuple[int, int]]:
    """Delete trees, and return the site and the ID of each page that had one of them."""
    ids = {"ids": list(tree_ids)}
    treeless = [(site_id, page_id) for site_id, page_id in session.execute(SQL.detach_trees, ids)]
    session.execute(SQL.remove_trees, ids)
    return sorted(treeless)


def known_distances(session: Session, rows: Sequence[int], columns: Sequence[int]) -> Distances:
    """Return the stored distances between two sets of trees, by ordered pair of IDs."""
    found = session.execute(SQL.known_distances, {"rows": list(rows), "columns": list(columns)})
    return {(lower, higher): distance for lower, higher, distance in found}


def distances_among(session: Session, tree_ids: Sequence[int]) -> Distances:
    """Return the stored distances among trees, by ordered pair of IDs."""
    found = session.execute(SQL.distances_among, {"tree_ids": list(tree_ids)})
    return {(lower, higher): distance for lower, higher, distance in found}


def matrix_of(
    tree_ids: Sequence[int], known: Distances
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the matrix of the known distances among trees, and a mask of those that are known.

    A distance is NaN if it is not known, or if the trees cannot be compared.
    """
    distances = np.full((len(tree_ids), len(tree_ids)), np.nan)
    is_known = np.eye(len(tree_ids), dtype=np.bool_)
    np.fill_diagonal(distances, 0)
    rows, columns = np.searchsorted(tree_ids, np.array([*known], np.int64).reshape(-1, 2)).T
    # None becomes NaN.
    distances[rows, columns] = distances[columns, rows] = np.array([*known.values()], np.float64)
    is_known[rows, columns] = is_known[columns, rows] = True
    return distances, is_known


def save_distances(session: Session, distances: Distances) -> None:
    """Store distances by ordered pair of tree IDs, without replacing stored ones."""
    if distances:
        session.execute(SQL.save_distances, distance_params(distances))


def distance_params(distances: Distances) -> dict[str, list[int | None]]:
    """Return the parameters of the fragment ``added_distances``."""
    # Tasks that insert the same rows in different orders would deadlock.
    pairs = sorted(distances)
    ids: dict[str, list[int | None]] = {"lower": [lower for lower, _ in pairs]}
    ids["higher"] = [higher for _, higher in pairs]
    return ids | {"distances": [distances[pair] for pair in pairs]}
