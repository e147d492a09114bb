"""The comparison task: a block of pairs of trees."""

from collections import OrderedDict

from celery import shared_task
from sqlalchemy.orm import Session

from worker.distance import TreeTooLargeError, tree_edit_distance
from worker.pages import Tree
from worker.store import trees
from worker.tasks import names
from worker.tasks.context import TASK_OPTIONS, database

CACHED_TREES = 512
"""Unpacked trees that a process keeps: some tens of megabytes, and most of a site's trees."""


class TreeCache:
    """The trees used last, by id; a stored tree never changes."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._trees: OrderedDict[int, Tree] = OrderedDict()

    def load(self, session: Session, tree_ids: list[int]) -> dict[int, Tree]:
        """Return the trees that exist among the ids."""
        missing = [tree_id for tree_id in tree_ids if tree_id not in self._trees]
        found = trees.load_trees(session, missing) if missing else {}
        known = {i: self._trees[i] for i in tree_ids if i in self._trees}
        for tree_id, tree in {**known, **found}.items():
            self._trees[tree_id] = tree
            self._trees.move_to_end(tree_id)
        while len(self._trees) > self._capacity:
            self._trees.popitem(last=False)
        return known | found


_cache = TreeCache(CACHED_TREES)


@shared_task(name=names.COMPARE, **TASK_OPTIONS)
def compare(tree_id: int, other_ids: list[int]) -> None:
    """Compute and store the distances of a tree to others, save those known already."""

    def read(session: Session) -> tuple[set[tuple[int, int]], dict[int, Tree]]:
        known = trees.known_distances(session, [tree_id], other_ids)
        missing = {_pair(tree_id, other) for other in other_ids if other != tree_id} - set(known)
        needed = sorted({each for pair in missing for each in pair})
        return missing, _cache.load(session, needed)

    missing, loaded = database().run(read)
    distances = {
        pair: _distance(loaded[pair[0]], loaded[pair[1]])
        for pair in missing
        if pair[0] in loaded and pair[1] in loaded
    }
    database().run(lambda session: trees.save_distances(session, distances))


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _distance(a: Tree, b: Tree) -> int | None:
    try:
        return tree_edit_distance(a, b)
    except TreeTooLargeError:
        return None
