"""A cache of trees in unpacked form."""

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from detourage.html import Tree, TreeFormatError
from detourage.text.plural import counted
from worker.messaging import task_names
from worker.store import outbox, trees

logger = logging.getLogger(__name__)

CACHED_NODES = 2_000_000
"""Maximum number of nodes in the cache, at 12 bytes each."""


class TreeCache:
    """An LRU cache of trees by ID, bounded by their number of nodes; stored trees never change."""

    def __init__(self) -> None:
        self._room = CACHED_NODES
        self._trees: OrderedDict[int, Tree] = OrderedDict()

    def load(self, session: Session, tree_ids: Sequence[int]) -> dict[int, Tree]:
        """Return the given trees that exist, by ID.

        Damaged trees are removed, and their pages are parsed again.
        """
        missing = [tree_id for tree_id in tree_ids if tree_id not in self._trees]
        found, damaged = trees.load_trees(session, missing) if missing else ({}, {})
        if damaged:
            _set_aside(session, damaged)
        known = {i: self._trees[i] for i in tree_ids if i in self._trees}
        for tree_id, tree in {**known, **found}.items():
            if tree_id not in self._trees:
                self._room -= len(tree)
            self._trees[tree_id] = tree
            self._trees.move_to_end(tree_id)
        while self._room < 0 and self._trees:
            self._room += len(self._trees.popitem(last=False)[1])
        return known | found


def _set_aside(session: Session, damaged: Mapping[int, TreeFormatError]) -> None:
    left = trees.remove_trees(session, damaged)
    for tree_id, error in damaged.items():
        logger.error("tree %d is damaged, and removed: %s", tree_id, error)
    logger.error("%s without a tree parsed again", counted(len(left), "page"))
    wanted = [(site_id, {"page_id": page_id}) for site_id, page_id in left]
    outbox.add_tasks_of_sites(session, task_names.PARSE, wanted)
