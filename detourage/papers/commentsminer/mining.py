"""Search a page for frequent closed induced ordered subtrees (Subercaze et al. 2016, section 2).

Algorithm: Y. Chi, Y. Yang, Y. Xia and R. R. Muntz, "Mining closed and maximal frequent subtrees
from databases of labeled rooted trees", IEEE TKDE 17 (2005), with the constraints of the paper.
"""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from detourage.html.flat import FlatDocument
from detourage.html.visible_text import UNSEEN

Shape = int  # number that identifies a complete subtree (see `Forest.shape`)

Step = tuple[str, tuple[Shape, ...]]
"""A node on the rightmost path of a subtree: its label, and the complete subtrees of its children
that are left of the path.
"""


class Pattern(NamedTuple):
    """A subtree, given by its rightmost path, with the nodes that match its last node, by root."""

    path: tuple[Step, ...]
    rightmost: dict[int, tuple[int, ...]]

    @property
    def is_unique(self) -> bool:
        """Whether every root has exactly one rightmost node: ``|RootOcc| = |RmoOcc|``."""
        return all(len(nodes) == 1 for nodes in self.rightmost.values())


class Forest:
    """Trees to search for subtrees, in preorder; `steps` is the number of nodes visited so far."""

    def __init__(self, labels: Sequence[str], parents: Sequence[int]) -> None:
        self.labels = labels
        self.parents = parents
        self.children: list[list[int]] = [[] for _ in labels]
        for node, parent in enumerate(parents):
            if parent >= 0:
                self.children[parent].append(node)
        self.steps = 0
        self.shapes: list[Step] = []
        self._shape_of: dict[Step, Shape] = {}
        self._matches: dict[tuple[Shape, int], bool] = {}
        self._larger: dict[tuple[Shape, int], frozenset[Shape]] = {}

    def shape(self, label: str, below: tuple[Shape, ...] = ()) -> Shape:
        """Return the ID of the subtree with this label and child subtrees, perhaps a new one."""
        step = (label, below)
        number = self._shape_of.get(step)
        if number is None:
            number = self._shape_of[step] = len(self.shapes)
            self.shapes.append(step)
        return number

    def shape_of(self, pattern: Pattern) -> Shape:
        """Return the ID of a pattern as a complete subtree."""
        return self._path_shape(pattern.path)

    def _path_shape(self, path: Sequence[Step]) -> Shape:
        """Return the ID of the subtree whose rightmost path is given, from the last node up."""
        label, below = path[-1]
        shape = self.shape(label, below)
        for label, below in reversed(path[:-1]):
            shape = self.shape(label, (*below, shape))
        return shape

    def single_nodes(self, support: int) -> Iterator[Pattern]:
        """Yield the single-node patterns with enough occurrences."""
        nodes_by_label: defaultdict[str, list[int]] = defaultdict(list)
        for node, label in enumerate(self.labels):
            nodes_by_label[label].append(node)
        for label, nodes in nodes_by_label.items():
            if len(nodes) >= support:
                yield Pattern(((label, ()),), {node: (node,) for node in nodes})

    def extensions(self, pattern: Pattern, support: int) -> list[Pattern]:
        """Return the pattern's one-node rightmost extensions with at least `support` roots."""
        deepest = len(pattern.path) - 1
        # For each level of the path and each label, the nodes that can be added there, by root
        added: defaultdict[tuple[int, str], dict[int, set[int]]] = defaultdict(dict)
        for root, nodes in pattern.rightmost.items():
            # Nodes that match the path at a level, each with the leftmost child that continues it
            level = dict.fromkeys(nodes, -1)
            for depth in range(deepest, -1, -1):
                level_above: dict[int, int] = {}
                for node, path_child in level.items():
                    self.steps += len(self.children[node]) + 1
                    for child in self.children[node]:
                        if child > path_child:
                            added[depth, self.labels[child]].setdefault(root, set()).add(child)
                    if depth:
                        parent = self.parents[node]
                        level_above[parent] = min(node, level_above.get(parent, node))
                level = level_above
        deepest_first = sorted(added, key=lambda key: (-key[0], key[1]))
        return [
            Pattern(
                self._extended(pattern.path, depth, label),
                {root: tuple(sorted(nodes)) for root, nodes in added[depth, label].items()},
            )
            for depth, label in deepest_first
            if len(added[depth, label]) >= support
        ]

    def _extended(self, path: tuple[Step, ...], depth: int, label: str) -> tuple[Step, ...]:
        """Return the rightmost path after a node is added below its node at a depth."""
        if depth == len(path) - 1:
            return (*path, (label, ()))
        parent_label, below = path[depth]
        completed = self._path_shape(path[depth + 1 :])
        return (*path[:depth], (parent_label, (*below, completed)), (label, ()))

    def can_grow_up_or_left(self, pattern: Pattern) -> bool:
        """Return whether all matches have the same node above the root or left of the last node."""
        parents = [self.parents[root] for root in pattern.rightmost]
        has_node_above = (
            min(parents) >= 0
            and len({self.labels[node] for node in parents}) == 1
            and len(set(parents)) == len(parents)
        )
        return has_node_above or self._has_node_to_the_left(pattern)

    def _has_node_to_the_left(self, pattern: Pattern) -> bool:
        shared: set[tuple[int, tuple[Shape, ...]]] | None = None
        for nodes in pattern.rightmost.values():
            for node in nodes:
                added = self._added_to_the_left(pattern.path, node, shared)
                shared = added if shared is None else shared & added
                if not shared:
                    return False
        return bool(shared)

    def _added_to_the_left(
        self, path: Sequence[Step], node: int, wanted: set[tuple[int, tuple[Shape, ...]]] | None
    ) -> set[tuple[int, tuple[Shape, ...]]]:
        """Return the levels of the path where a node can be added, with the enlarged subtrees."""
        found: set[tuple[int, tuple[Shape, ...]]] = set()
        levels = None if wanted is None else {depth for depth, _ in wanted}
        for depth in range(len(path) - 2, -1, -1):
            parent = self.parents[node]
            if levels is None or depth in levels:
                children = self.children[parent]
                before = children[: children.index(node)]
                for below in self._sequences(path[depth][1], before):
                    found.add((depth, below))
            node = parent
        return found

    def matches(self, shape: Shape, node: int) -> bool:
        """Return whether a node is the root of an occurrence of a subtree."""
        is_match = self._matches.get((shape, node))
        if is_match is None:
            label, below = self.shapes[shape]
            is_match = self.labels[node] == label and self._match(below, self.children[node])
            self._matches[shape, node] = is_match
        return is_match

    def _match(self, below: Sequence[Shape], nodes: Sequence[int]) -> bool:
        """Return whether some of the nodes, in order, are roots of occurrences of the subtrees."""
        if not below:
            return True
        self.steps += len(nodes)
        remaining = iter(nodes)
        return all(any(self.matches(each, node) for node in remaining) for each in below)

    def _sequences(
        self, below: tuple[Shape, ...], nodes: Sequence[int]
    ) -> Iterator[tuple[Shape, ...]]:
        """Yield the extensions of a sequence of subtrees by one node that the given nodes match."""
        self.steps += len(nodes) * (len(below) + 1)
        # For each subtree, the first and the last of the nodes that can match it.
        first = self._leftmost(below, nodes)
        mirrored = self._leftmost(below[::-1], nodes[::-1])
        last = [len(nodes) - 1 - i for i in reversed(mirrored)]
        for i in range(len(below) + 1):
            start = first[i - 1] + 1 if i else 0
            end = last[i] if i < len(below) else len(nodes)
            for label in {self.labels[node] for node in nodes[start:end]}:
                yield (*below[:i], self.shape(label), *below[i:])
        for i, shape in enumerate(below):
            start = first[i - 1] + 1 if i else 0
            end = last[i + 1] if i + 1 < len(below) else len(nodes)
            for node in nodes[start:end]:
                if self.matches(shape, node):
                    for larger in self._larger_at(shape, node):
                        yield (*below[:i], larger, *below[i + 1 :])

    def _larger_at(self, shape: Shape, node: int) -> frozenset[Shape]:
        """Return the extensions of a subtree by one node that also match at a node."""
        larger = self._larger.get((shape, node))
        if larger is None:
            label, below = self.shapes[shape]
            sequences = self._sequences(below, self.children[node])
            larger = frozenset(self.shape(label, each) for each in sequences)
            self._larger[shape, node] = larger
        return larger

    def _leftmost(self, below: Sequence[Shape], nodes: Sequence[int]) -> list[int]:
        """Return the index of the leftmost node that matches each subtree."""
        found: list[int] = []
        i = 0
        for shape in below:
            while not self.matches(shape, nodes[i]):
                i += 1
            found.append(i)
            i += 1
        return found

    def is_within(self, node: int, others: Container[int]) -> bool:
        """Return whether a node or one of its ancestors is among `others`."""
        while node >= 0 and node not in others:
            node = self.parents[node]
        return node >= 0

    def nodes_of(self, shape: Shape) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return the label and the parent's index of each node of a subtree, in preorder."""
        labels: list[str] = []
        parents: list[int] = []
        waiting = [(shape, -1)]
        while waiting:
            shape, parent = waiting.pop()
            label, below = self.shapes[shape]
            waiting.extend((each, len(labels)) for each in reversed(below))
            labels.append(label)
            parents.append(parent)
        return tuple(labels), tuple(parents)

    def contains_subtree(self, larger: Shape, smaller: Shape) -> bool:
        """Return whether subtree `larger` contains subtree `smaller` at any position."""
        return self._is_at(smaller, larger) or any(
            self.contains_subtree(each, smaller) for each in self.shapes[larger][1]
        )

    def _is_at(self, smaller: Shape, larger: Shape) -> bool:
        """Return whether a subtree contains a smaller one at its root."""
        (label, below), (larger_label, larger_below) = self.shapes[smaller], self.shapes[larger]
        if label != larger_label:
            return False
        remaining = iter(larger_below)
        return all(any(self._is_at(each, other) for other in remaining) for each in below)


SUPPORT = 2  # minimum number of occurrences of a frequent subtree (section 2.1)
MAX_STEPS = 400_000  # number of visited elements after which the search ends
MAX_DEPTH = 100  # maximum depth of a subtree, in levels


class Subtree(NamedTuple):
    """A subtree and its occurrences.

    `labels` are tags in preorder, and `parents` the indices of their parents (-1 for the root).
    `roots` are the root elements of the occurrences in ascending order.
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    roots: tuple[int, ...]


def displayed(document: FlatDocument) -> FlatDocument:
    """Return the elements that a browser may display."""
    return document.select(~document.within(document.having(UNSEEN)))


def mine(page: FlatDocument, max_steps: int = MAX_STEPS) -> list[Subtree]:
    """Mine a page for closed frequent subtrees that may be its comments, most frequent first.

    A subtree is closed if no larger subtree in the result contains it and has as many roots. The
    paper's other constraints (section 2.1) are:

    - every root has exactly one rightmost occurrence: ``|RootOcc| = |RmoOcc|``;
    - the nearest common ancestor of the occurrences is not the root of the page (here ``body``,
      which contains everything visible);
    - the occurrences are not all blank and do not all have the same text.

    A subtree is grown one node at a time, as the rightmost child of a node on the rightmost path.
    If it has several rightmost nodes below one root, it is not a result, but its extensions may
    be. A subtree is abandoned, together with its extensions, only if a node can be added left of
    the last one, or above the root, without losing any rightmost node. The same node can then be
    added to every extension, so none of them is closed.
    """
    forest = Forest(page.tags, page.parents.tolist())
    waiting: list[tuple[int, int, Pattern]] = []
    numbers = count()
    for pattern in forest.single_nodes(SUPPORT):
        heappush(waiting, (-len(pattern.rightmost), next(numbers), pattern))
    found: list[Pattern] = []
    while waiting and forest.steps < max_steps:
        _, _, pattern = heappop(waiting)
        if forest.can_grow_up_or_left(pattern):
            continue
        extensions = forest.extensions(pattern, SUPPORT)
        if len(pattern.path) < MAX_DEPTH:
            for each in extensions:
                heappush(waiting, (-len(each.rightmost), next(numbers), each))
        roots = len(pattern.rightmost)
        is_closed = not any(each.is_unique and len(each.rightmost) == roots for each in extensions)
        if pattern.is_unique and is_closed:
            found.append(pattern)
    mined = [
        Subtree(*forest.nodes_of(forest.shape_of(each)), tuple(sorted(each.rightmost)))
        for each in _closed(forest, found)
    ]
    return [each for each in mined if _has_ancestor(page, each) and _texts_differ(page, each)]


def _closed(forest: Forest, patterns: Sequence[Pattern]) -> Iterator[Pattern]:
    """Yield the patterns that are not contained in another pattern with as many roots."""
    by_roots: defaultdict[int, list[Pattern]] = defaultdict(list)
    for pattern in patterns:
        by_roots[len(pattern.rightmost)].append(pattern)
    for pattern in patterns:
        shape = forest.shape_of(pattern)
        first = min(pattern.rightmost)
        if not any(
            other is not pattern
            and forest.is_within(first, other.rightmost)
            and forest.contains_subtree(forest.shape_of(other), shape)
            for other in by_roots[len(pattern.rightmost)]
        ):
            yield pattern


def _has_ancestor(page: FlatDocument, subtree: Subtree) -> bool:
    """Return whether the occurrences have a common ancestor below the body."""
    first, last = subtree.roots[0], subtree.roots[-1]
    ancestor = page.parents[first]
    while ancestor >= 0 and last >= page.ends[ancestor]:
        ancestor = page.parents[ancestor]
    return ancestor >= 0 and page.tags[ancestor] not in {"html", "body"}


def _texts_differ(page: FlatDocument, subtree: Subtree) -> bool:
    """Return whether the occurrences have different texts, so that they are not all blank."""
    texts = (
        " ".join(" ".join(page.texts[page.text_starts[root] : page.text_ends[root]]).split())
        for root in subtree.roots
    )
    first = next(texts)
    return any(text != first for text in texts)
