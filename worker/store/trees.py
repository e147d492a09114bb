"""Trees and the distances between them; equal trees are stored once."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from detourage.html import Tree, TreeFormatError, TreeShape
from worker.store.database import sql

# Locks trees until their pages are written; otherwise they could be removed as orphans.
_HOLD_TREES = sql("""
    SELECT digest, id FROM trees WHERE digest = ANY (CAST(:digests AS text[]))
    ORDER BY digest FOR KEY SHARE
""")


def save_trees(session: Session, trees: Iterable[Tree]) -> dict[str, int]:
    """Store trees that are not yet stored, and return the IDs of all by digest."""
    # Transactions that insert the same rows in different orders would deadlock.
    missing = dict(sorted({tree.digest: tree for tree in trees}.items()))
    stored: dict[str, int] = {}
    query = sql("""
        INSERT INTO trees (digest, size, packed) SELECT * FROM unnest(
            CAST(:digests AS text[]), CAST(:sizes AS integer[]), CAST(:packed AS bytea[])
        )
        ON CONFLICT (digest) DO NOTHING RETURNING digest, id
    """)
    while missing:
        new = {
            "digests": list(missing),
            "sizes": [len(tree) for tree in missing.values()],
            "packed": [tree.to_bytes() for tree in missing.values()],
        }
        stored |= dict(session.execute(query, new).all())
        there = [digest for digest in missing if digest not in stored]
        if there:
            stored |= dict(session.execute(_HOLD_TREES, {"digests": there}).all())
        missing = {digest: tree for digest, tree in missing.items() if digest not in stored}
    return stored


def load_trees(
    session: Session, tree_ids: Iterable[int]
) -> tuple[dict[int, Tree], dict[int, TreeFormatError]]:
    """Return trees by ID, in ascending order of ID, and why the damaged ones cannot be read."""
    query = sql("""
        SELECT id, packed FROM trees WHERE id = ANY (CAST(:ids AS bigint[])) ORDER BY id
    """)
    found: dict[int, Tree] = {}
    damaged: dict[int, TreeFormatError] = {}
    for tree_id, packed in session.execute(query, {"ids": list(tree_ids)}):
        try:
            found[tree_id] = Tree.from_bytes(bytes(packed))
        except TreeFormatError as error:
            damaged[tree_id] = error
    return found, damaged


def remove_trees(session: Session, tree_ids: Collection[int]) -> list[tuple[int, int]]:
    """Delete trees; return the IDs of the site and page of each page that has none left.

    The extractions requested of these pages are void; `worker.tasks.reprocess.parse` gives them
    their trees again.
    """
    ids = {"ids": list(tree_ids)}
    pages = sql("""
        WITH own AS (
            SELECT id FROM pages WHERE tree_id = ANY (CAST(:ids AS bigint[]))
            -- Transactions that lock the same pages in different orders would deadlock.
            ORDER BY id FOR UPDATE
        )
        UPDATE pages SET tree_id = NULL FROM own WHERE pages.id = own.id
        RETURNING site_id, pages.id
    """)
    left = [(site_id, page_id) for site_id, page_id in session.execute(pages, ids)]
    session.execute(sql("DELETE FROM trees WHERE id = ANY (CAST(:ids AS bigint[]))"), ids)
    return sorted(left)


def tree_shapes(session: Session, tree_ids: Iterable[int]) -> dict[int, TreeShape]:
    """Return the digest and size of trees by ID, in ascending order of ID."""
    query = sql("""
        SELECT id, digest, size FROM trees WHERE id = ANY (CAST(:ids AS bigint[])) ORDER BY id
    """)
    rows = session.execute(query, {"ids": list(tree_ids)})
    return {tree_id: TreeShape(digest, size) for tree_id, digest, size in rows}


def site_tree_shapes(session: Session, site_id: int) -> dict[int, TreeShape]:
    """Return the digest and size of a site's distinct trees by ID, in ascending order of ID."""
    query = sql("""
        SELECT id, digest, size FROM trees
        WHERE id IN (SELECT tree_id FROM pages WHERE site_id = :site_id AND tree_id IS NOT NULL)
        ORDER BY id
    """)
    rows = session.execute(query, {"site_id": site_id})
    return {tree_id: TreeShape(digest, size) for tree_id, digest, size in rows}


def site_tree_ids(session: Session, site_id: int, limit: int | None = None) -> list[int]:
    """Return the IDs of a site's distinct trees, ascending; at most the first ``limit``."""
    query = sql("""
        SELECT DISTINCT tree_id FROM pages WHERE site_id = :site_id AND tree_id IS NOT NULL
        ORDER BY tree_id LIMIT :limit
    """)
    return list(session.scalars(query, {"site_id": site_id, "limit": limit}))


def known_distances(
    session: Session, rows: Sequence[int], columns: Sequence[int]
) -> dict[tuple[int, int], int | None]:
    """Return the stored distances between two sets of trees, by ordered pair of IDs."""
    query = sql("""
        SELECT lower_tree_id, higher_tree_id, distance FROM distances
        WHERE lower_tree_id = ANY (CAST(:rows AS bigint[]))
                AND higher_tree_id = ANY (CAST(:columns AS bigint[]))
            OR lower_tree_id = ANY (CAST(:columns AS bigint[]))
                AND higher_tree_id = ANY (CAST(:rows AS bigint[]))
    """)
    found = session.execute(query, {"rows": list(rows), "columns": list(columns)})
    return {(lower, higher): distance for lower, higher, distance in found}


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
    query = sql("""
        SELECT lower_tree_id, higher_tree_id, distance FROM distances
        WHERE lower_tree_id = ANY (CAST(:tree_ids AS bigint[]))
            AND higher_tree_id = ANY (CAST(:tree_ids AS bigint[]))
    """)
    rows = session.execute(query, {"tree_ids": list(tree_ids)})
    # NULL becomes NaN.
    stored = np.array([tuple(row) for row in rows], np.float64).reshape(-1, 3)
    i, j = np.searchsorted(tree_ids, stored[:, :2].astype(np.int64)).T
    distances[i, j] = distances[j, i] = stored[:, 2]
    is_stored[i, j] = is_stored[j, i] = True
    return distances, is_stored


def save_distances(session: Session, distances: Mapping[tuple[int, int], int | None]) -> None:
    """Store distances by ordered pair of tree IDs, without replacing stored ones."""
    if not distances:
        return
    # Tasks that insert the same rows in different orders would deadlock.
    pairs = sorted(distances)
    query = sql("""
        INSERT INTO distances (lower_tree_id, higher_tree_id, distance) SELECT * FROM unnest(
            CAST(:lower AS bigint[]), CAST(:higher AS bigint[]), CAST(:distances AS integer[])
        )
        ON CONFLICT DO NOTHING
    """)
    session.execute(
        query,
        {
            "lower": [lower for lower, _ in pairs],
            "higher": [higher for _, higher in pairs],
            "distances": [distances[pair] for pair in pairs],
        },
    )


def forget_distances(session: Session, tree_ids: Sequence[int]) -> None:
    """Delete the distances among the given trees."""
    query = sql("""
        DELETE FROM distances
        WHERE lower_tree_id = ANY (CAST(:tree_ids AS bigint[]))
            AND higher_tree_id = ANY (CAST(:tree_ids AS bigint[]))
    """)
    session.execute(query, {"tree_ids": list(tree_ids)})
