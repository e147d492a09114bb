"""Lookup of a site's stored distances for the comparison policy."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from worker.store import trees
from worker.store.comparisons import Nearest, load_nearest, save_set


class StoredDistances:
    """Stored distances of a site's trees, implementing `KnownDistances`."""

    def __init__(self, session: Session, site_id: int) -> None:
        self._session = session
        self._site_id = site_id
        self._sets: dict[tuple[int, ...], int] = {}

    def among(
        self, tree_ids: Sequence[int]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return the distances among trees, and a mask of the stored ones."""
        return trees.distance_matrix(self._session, tree_ids)

    def nearest(self, references: Sequence[int], tree_ids: Sequence[int]) -> Nearest:
        """Return the stored nearest references of trees."""
        return load_nearest(self._session, self.reference_set(references), tree_ids)

    def to_pivot(self, pivot: int, tree_ids: Sequence[int]) -> Mapping[int, int | None]:
        """Return the stored distances of trees to a pivot, by tree ID."""
        stored = trees.known_distances(self._session, [pivot], tree_ids)
        return {
            higher if lower == pivot else lower: distance
            for (lower, higher), distance in stored.items()
        }

    def reference_set(self, references: Sequence[int]) -> int:
        """Return the ID of a reference set, which is stored if it is new."""
        key = tuple(references)
        if key not in self._sets:
            self._sets[key] = save_set(self._session, self._site_id, references)
        return self._sets[key]

    def reference_sets(self) -> list[int]:
        """Return the IDs of all reference sets that have been looked up."""
        return list(self._sets.values())
