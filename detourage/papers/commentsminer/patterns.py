"""Subtrees of an ordered labelled tree, and their occurrences."""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

Shape = int
"""Number that identifies a complete subtree (see `Forest.shape`)."""

Step = tuple[str, tuple[Shape, ...]]
"""Node on the rightmost path: its label and the complete subtrees below it, left of the path."""


class Pattern(NamedTuple):
    """A subtree, represented by its rightmost path.

    `rightmost` lists, for the root of each occurrence, the nodes that can match the pattern's last
    node, in ascending order.
    """

    path: tuple[Step, ...]
    rightmost: dict[int, tuple[int, ...]]

    @property
    def is_unique(self) -> bool:
        """Whether every root has exactly one rightmost node: ``|RootOcc| = |RmoOcc|``.

        A node has only one ancestor at each distance, so two roots never share a rightmost node.
        """
        return all(len(nodes) == 1 for nodes in self.rightmost.values())


class Forest:
    """One or more trees to be searched for subtrees.

    `labels` and `parents` are in preorder (-1 for a root); `steps` counts the nodes visited so far.
    """

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
        """Return the subtree's ID, by root label and child subtrees; assign one if it is new."""
        step = (label, below)
        number = self._shape_of.get(step)
        if number is None:
            number = self._shape_of[step] = len(self.shapes)
            self.shapes.append(step)
        return number

    def shape_of(self, pattern: Pattern) -> Shape:
        """Return the ID of a whole pattern."""
        return self._finished(pattern.path)

    def _finished(self, path: Sequence[Step]) -> Shape:
        label, below = path[-1]
        number = self.shape(label, below)
        for label, below in reversed(path[:-1]):
            number = self.shape(label, (*below, number))
        return number

    def single_nodes(self, support: int) -> Iterator[Pattern]:
        """Yield the single-node patterns with enough occurrences."""
        of_label: defaultdict[str, list[int]] = defaultdict(list)
        for node, label in enumerate(self.labels):
            of_label[label].append(node)
        for label, nodes in of_label.items():
            if len(nodes) >= support:
                yield Pattern(((label, ()),), {node: (node,) for node in nodes})

    def extensions(self, pattern: Pattern, support: int) -> list[Pattern]:
        """Return the pattern's one-node rightmost extensions with at least `support` roots."""
        deepest = len(pattern.path) - 1
        found: defaultdict[tuple[int, str], dict[int, set[int]]] = defaultdict(dict)
        for root, nodes in pattern.rightmost.items():
            # For each possible node at a level, the child after which the next one may follow.
            level = dict.fromkeys(nodes, -1)
            for depth in range(deepest, -1, -1):
                above: dict[int, int] = {}
                for node, after in level.items():
                    self.steps += len(self.children[node]) + 1
                    for child in self.children[node]:
                        if child > after:
                            places = found[depth, self.labels[child]]
                            places.setdefault(root, set()).add(child)
                    if depth:
                        around = self.parents[node]
                        above[around] = min(node, above.get(around, node))
                level = above
        return [
            Pattern(
                self._extended(pattern.path, depth, label),
                {root: tuple(sorted(nodes)) for root, nodes in places.items()},
            )
            for (depth, label), places in sorted(
                found.items(), key=lambda each: (-each[0][0], each[0][1])
            )
            if len(places) >= support
        ]

    def _extended(self, path: tuple[Step, ...], depth: int, label: str) -> tuple[Step, ...]:
        if depth == len(path) - 1:
            return (*path, (label, ()))
        above, below = path[depth]
        done = self._finished(path[depth + 1 :])
        return (*path[:depth], (above, (*below, done)), (label, ()))

    def can_be_added_to(self, pattern: Pattern) -> bool:
        """Return whether a node can be added to a pattern without losing any rightmost node.

        The node is added to the left of the last node, or above the root.
        """
        return self._has_root_above(pattern) or self._has_node_to_the_left(pattern)

    def _has_root_above(self, pattern: Pattern) -> bool:
        above = [self.parents[root] for root in pattern.rightmost]
        return (
            min(above) >= 0
            and len({self.labels[node] for node in above}) == 1
            and len(set(above)) == len(above)
        )

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
        self,
        path: Sequence[Step],
        node: int,
        wanted: set[tuple[int, tuple[Shape, ...]]] | None,
    ) -> set[tuple[int, tuple[Shape, ...]]]:
        """Return the levels of the path that can be extended, with the subtrees complete there."""
        found: set[tuple[int, tuple[Shape, ...]]] = set()
        levels = None if wanted is None else {depth for depth, _ in wanted}
        for depth in range(len(path) - 2, -1, -1):
            around = self.parents[node]
            if levels is None or depth in levels:
                before = self._before(around, node)
                for below in self._sequences(path[depth][1], before):
                    found.add((depth, below))
            node = around
        return found

    def _before(self, around: int, node: int) -> list[int]:
        children = self.children[around]
        return children[: children.index(node)]

    def matches(self, shape: Shape, node: int) -> bool:
        """Return whether a node is the root of an occurrence of a subtree."""
        known = self._matches.get((shape, node))
        if known is None:
            label, below = self.shapes[shape]
            known = self.labels[node] == label and self._have(below, self.children[node])
            self._matches[shape, node] = known
        return known

    def _have(self, below: Sequence[Shape], nodes: Sequence[int]) -> bool:
        if not below:
            return True
        self.steps += len(nodes)
        remaining = iter(nodes)
        return all(any(self.matches(each, node) for node in remaining) for each in below)

    def _sequences(
        self, below: tuple[Shape, ...], nodes: Sequence[int]
    ) -> Iterator[tuple[Shape, ...]]:
        """Yield the one-node extensions of a sequence of subtrees that the given nodes match."""
        self.steps += len(nodes) * (len(below) + 1)
        first = self._leftmost(below, nodes)
        last = self._rightmost(below, nodes)
        for place in range(len(below) + 1):
            start = first[place - 1] + 1 if place else 0
            end = last[place] if place < len(below) else len(nodes)
            for label in {self.labels[node] for node in nodes[start:end]}:
                yield (*below[:place], self.shape(label), *below[place:])
        for place, shape in enumerate(below):
            start = first[place - 1] + 1 if place else 0
            end = last[place + 1] if place + 1 < len(below) else len(nodes)
            for node in nodes[start:end]:
                if self.matches(shape, node):
                    for larger in self._larger_at(shape, node):
                        yield (*below[:place], larger, *below[place + 1 :])

    def _larger_at(self, shape: Shape, node: int) -> frozenset[Shape]:
        known = self._larger.get((shape, node))
        if known is None:
            label, below = self.shapes[shape]
            sequences = self._sequences(below, self.children[node])
            known = frozenset(self.shape(label, each) for each in sequences)
            self._larger[shape, node] = known
        return known

    def _leftmost(self, below: Sequence[Shape], nodes: Sequence[int]) -> list[int]:
        found: list[int] = []
        place = 0
        for shape in below:
            while not self.matches(shape, nodes[place]):
                place += 1
            found.append(place)
            place += 1
        return found

    def _rightmost(self, below: Sequence[Shape], nodes: Sequence[int]) -> list[int]:
        mirrored = self._leftmost(below[::-1], nodes[::-1])
        return [len(nodes) - 1 - place for place in reversed(mirrored)]

    def has_around(self, node: int, others: Container[int]) -> bool:
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

    def holds(self, larger: Shape, smaller: Shape) -> bool:
        """Return whether subtree `larger` contains subtree `smaller` at any position."""
        return self._is_at(smaller, larger) or any(
            self.holds(each, smaller) for each in self.shapes[larger][1]
        )

    def _is_at(self, smaller: Shape, larger: Shape) -> bool:
        (label, below), (other, around) = self.shapes[smaller], self.shapes[larger]
        if label != other:
            return False
        remaining = iter(around)
        return all(any(self._is_at(each, node) for node in remaining) for each in below)
