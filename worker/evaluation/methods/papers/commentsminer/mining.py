"""Frequent closed induced ordered subtrees of one page (Subercaze et al. 2016, section 2).

Y. Chi, Y. Yang, Y. Xia and R. R. Muntz, "Mining closed and maximal frequent subtrees from
databases of labeled rooted trees", IEEE TKDE 17 (2005), under the paper's constraints.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from worker.comments.elements import PageElements

SUPPORT = 2
"""Occurrences that make a subtree frequent (section 2.1)."""

MAX_STEPS = 400_000
"""Elements looked at before the mining of a page ends with what it has.

The most in the corpora are 120,000.
"""

Occurrence = tuple[int, ...]
"""Elements that a subtree is found at, in the order of its nodes; the root first."""


@dataclass(frozen=True)
class Subtree:
    """A subtree with the places where the page has it.

    Attributes
    ----------
    labels
        Tags of its nodes in preorder.
    parents
        Place of each node's parent, -1 for the root.
    occurrences
        Where it is found, one for each root, by rising root.
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    occurrences: tuple[Occurrence, ...]

    @property
    def roots(self) -> tuple[int, ...]:
        """The elements at the root of each occurrence."""
        return tuple(occurrence[0] for occurrence in self.occurrences)


def mine(page: PageElements) -> list[Subtree]:
    """Mine the subtrees of a page that may be those of its comments.

    A subtree is grown from its root by one node at a time, to the right of all others, the
    child of a node on its rightmost path. The paper's constraints (section 2.1):

    - every root has one rightmost occurrence: ``|RootOcc| = |RmoOcc|``. As it holds for
      each subtree that a larger one was grown from, each node is found at one place below a
      root;
    - the nearest common ancestor of the occurrences is not the root of the page, here
      ``body``, below which all that is shown stands;
    - the occurrences are not all blank and not all of the same text.

    Returns
    -------
    list of Subtree
        Closed: no subtree that keeps the first constraint holds one of them and occurs as
        often.
    """
    return _Mining(page).run()


class _Mining:
    def __init__(self, page: PageElements) -> None:
        self.page = page
        self.children: list[list[int]] = [[] for _ in page.elements]
        for index, parent in enumerate(page.parents.tolist()):
            if parent >= 0:
                self.children[parent].append(index)
        self.found: list[Subtree] = []
        self.steps = 0

    def run(self) -> list[Subtree]:
        by_tag: dict[str, list[int]] = defaultdict(list)
        for index, tag in enumerate(self.page.tags):
            by_tag[tag].append(index)
        waiting = [
            Subtree((tag,), (-1,), tuple((index,) for index in elements))
            for tag, elements in reversed(by_tag.items())
            if len(elements) >= SUPPORT
        ]
        while waiting and self.steps < MAX_STEPS:
            subtree = waiting.pop()
            if self._has_node_between(subtree):
                continue
            larger = self._extensions(subtree)
            waiting += reversed(larger)
            occurs = len(subtree.occurrences)
            is_closed = all(len(each.occurrences) < occurs for each in larger)
            if is_closed and self._may_be_comments(subtree):
                self.found.append(subtree)
        return _without_parts(self.found)

    def _extensions(self, subtree: Subtree) -> list[Subtree]:
        """Return the frequent subtrees with one more node on the right."""
        found: list[Subtree] = []
        node = len(subtree.labels) - 1
        after = -1
        while node >= 0:
            places: dict[str, list[tuple[int, int]]] = defaultdict(list)
            for number, occurrence in enumerate(subtree.occurrences):
                for child in self._children_after(
                    occurrence[node], occurrence[after] if after >= 0 else -1
                ):
                    places[self.page.tags[child]].append((number, child))
            for tag in sorted(places):
                roots = {number for number, _ in places[tag]}
                if SUPPORT <= len(roots) == len(places[tag]):
                    found.append(
                        Subtree(
                            (*subtree.labels, tag),
                            (*subtree.parents, node),
                            tuple(
                                (*subtree.occurrences[number], child)
                                for number, child in places[tag]
                            ),
                        )
                    )
            node, after = subtree.parents[node], node
        return found

    def _children_after(self, element: int, sibling: int) -> list[int]:
        children = self.children[element]
        self.steps += len(children) + 1
        return [child for child in children if child > sibling]

    def _has_node_between(self, subtree: Subtree) -> bool:
        """Tell whether every occurrence has the same element to the left of the last node.

        Neither the subtree nor any grown from it is closed then (Chi et al., section 4.3).
        """
        below: list[list[int]] = [[] for _ in subtree.labels]
        for node, parent in enumerate(subtree.parents):
            if parent >= 0:
                below[parent].append(node)
        return any(
            self._is_shared(subtree.occurrences, node, left, right)
            for node, children in enumerate(below)
            for left, right in pairwise([-1, *children])
        ) or any(
            self._is_shared(subtree.occurrences, node, children[-1] if children else -1, None)
            for node, children in enumerate(below)
            if not _on_rightmost_path(subtree, node)
        )

    def _is_shared(
        self, occurrences: Sequence[Occurrence], node: int, left: int, right: int | None
    ) -> bool:
        """Tell whether one tag stands once between two children of a node, wherever it occurs."""
        shared: set[str] | None = None
        for occurrence in occurrences:
            once: dict[str, bool] = {}
            for child in self._children_after(
                occurrence[node], occurrence[left] if left >= 0 else -1
            ):
                if right is not None and child >= occurrence[right]:
                    break
                tag = self.page.tags[child]
                once[tag] = tag not in once
            tags = {tag for tag, is_single in once.items() if is_single}
            shared = tags if shared is None else shared & tags
            if not shared:
                return False
        return bool(shared)

    def _may_be_comments(self, subtree: Subtree) -> bool:
        page = self.page
        first, last = subtree.occurrences[0][0], subtree.occurrences[-1][0]
        around = page.parents[first]
        while around >= 0 and last >= page.ends[around]:
            around = page.parents[around]
        if around < 0 or page.tags[around] in {"html", "body"}:
            return False
        texts = {page.text_of(root) for root in subtree.roots}
        return len(texts) > 1


def _on_rightmost_path(subtree: Subtree, node: int) -> bool:
    last = len(subtree.labels) - 1
    while last > node:
        last = subtree.parents[last]
    return last == node


def _without_parts(subtrees: Sequence[Subtree]) -> list[Subtree]:
    """Leave out those that are a part of another one wherever they occur."""
    by_support: dict[int, list[tuple[Subtree, frozenset[int]]]] = defaultdict(list)
    for subtree in subtrees:
        nodes = frozenset(node for each in subtree.occurrences for node in each)
        by_support[len(subtree.occurrences)].append((subtree, nodes))
    return [
        subtree
        for same in by_support.values()
        for subtree, nodes in same
        if not any(nodes < others for _, others in same)
    ]
