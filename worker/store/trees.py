"""Trees and the distances between them, keyed by structure."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import delete, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import Distance, StoredPage, StoredTree
from worker.pages import Tree


def save_tree(session: Session, tree: Tree) -> int:
    """Store the tree unless an equal one is there, and return its id."""
    added: int | None = session.scalar(
        insert(StoredTree)
        .values(digest=tree.digest, size=len(tree), packed=tree.to_bytes())
        .on_conflict_do_nothing(index_elements=[StoredTree.digest])
        .returning(StoredTree.id)
    )
    if added is not None:
        return added
    return session.scalars(select(StoredTree.id).where(StoredTree.digest == tree.digest)).one()


def load_trees(session: Session, tree_ids: Iterable[int]) -> dict[int, Tree]:
    """Return the trees by id."""
    rows = session.execute(
        select(StoredTree.id, StoredTree.packed).where(StoredTree.id.in_(list(tree_ids)))
    )
    return {tree_id: Tree.from_bytes(packed) for tree_id, packed in rows}


def tree_sizes(session: Session, tree_ids: Iterable[int]) -> dict[int, int]:
    """Return the number of nodes by tree id."""
    rows = session.execute(
        select(StoredTree.id, StoredTree.size).where(StoredTree.id.in_(list(tree_ids)))
    )
    return dict(rows.all())


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


def save_distances(session: Session, distances: Mapping[tuple[int, int], int | None]) -> None:
    """Store distances by ordered pair of tree ids; those already there stay."""
    # Two tasks that insert the same rows in different orders would deadlock.
    values = [
        {"lower_tree_id": lower, "higher_tree_id": higher, "distance": distance}
        for (lower, higher), distance in sorted(distances.items(), key=lambda item: item[0])
    ]
    if values:
        session.execute(insert(Distance).values(values).on_conflict_do_nothing())


def forget_distances(session: Session, tree_ids: Sequence[int]) -> None:
    """Remove the distances among the given trees."""
    session.execute(
        delete(Distance).where(
            Distance.lower_tree_id.in_(tree_ids), Distance.higher_tree_id.in_(tree_ids)
        )
    )
