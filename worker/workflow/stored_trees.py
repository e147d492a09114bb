"""A cache of trees in unpacked form."""

from collections import OrderedDict
from collections.abc import Sequence

from sqlalchemy.orm import Session

from detourage.html import Tree
from worker.store import trees

CACHED_NODES = 2_000_000
"""Maximum number of nodes in the cache, at 12 bytes each."""


class TreeCache:
    """An LRU cache of trees by ID, bounded by their number of nodes; stored trees never change."""

    def __init__(self) -> None:
        self._room = CACHED_NODES
        self._trees: OrderedDict[int, Tree] = OrderedDict()

    def load(self, session: Session, tree_ids: Sequence[int]) -> dict[int, Tree]:
        """Return the given trees that exist, by ID."""
        missing = [tree_id for tree_id in tree_ids if tree_id not in self._trees]
        found = trees.load_trees(session, missing) if missing else {}
        known = {i: self._trees[i] for i in tree_ids if i in self._trees}
        for tree_id, tree in {**known, **found}.items():
            if tree_id not in self._trees:
                self._room -= len(tree)
            self._trees[tree_id] = tree
            self._trees.move_to_end(tree_id)
        while self._room < 0 and self._trees:
            self._room += len(self._trees.popitem(last=False)[1])
        return known | found
