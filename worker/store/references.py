"""Sets of references of large sites, and which of them is nearest to each tree."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import NearestReference, ReferenceSet


@dataclass(frozen=True)
class StoredNearest:
    """The reference nearest to a tree.

    Parameters
    ----------
    reference_id
        Tree of the set; none where the tree is too large to compare.
    distance
        Normalised distance to it.
    """

    reference_id: int | None
    distance: float | None


def save_set(session: Session, site_id: int, tree_ids: Sequence[int]) -> int:
    """Store a set of references unless it is there, and return its id."""
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
    """Remove all sets of a site but these, with what was nearest to their references."""
    session.execute(
        delete(ReferenceSet).where(ReferenceSet.site_id == site_id, ReferenceSet.id.not_in(set_ids))
    )


def load_nearest(
    session: Session, set_id: int, tree_ids: Sequence[int]
) -> dict[int, StoredNearest]:
    """Return what is known of these trees' nearest references, by tree."""
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
    """Store the nearest references of trees; what is there already stays."""
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
