"""Random trees for tests of tree distances."""

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from detourage.html.tree import Tree

SHAPES = ("any", "deep", "flat", "star", "comb", "zigzag", "page")

Nodes = list[tuple[str, int]]
"""Nodes of a tree in document order, as pairs of label and depth."""

ABC_LABELS = st.sampled_from("abc")


def trees(
    max_nodes: int = 14, labels: st.SearchStrategy[str] = ABC_LABELS
) -> st.SearchStrategy[Tree]:
    """Return a strategy for small trees of any shape, which Hypothesis can shrink."""
    node = st.tuples(labels, st.integers(1, 6))
    return st.builds(
        lambda root, nodes: Tree.from_preorder(clip_depths([(root, 0), *nodes])),
        labels,
        st.lists(node, max_size=max_nodes - 1),
    )


def clip_depths(nodes: Nodes) -> Nodes:
    """Reduce depths so that no node is more than one level deeper than the node before it."""
    result = nodes[:1]
    for label, depth in nodes[1:]:
        result.append((label, min(depth, result[-1][1] + 1)))
    return result


def random_tree(rng: random.Random, size: int, shape: str, labels: Sequence[str]) -> Tree:
    """Draw a tree of one of the `SHAPES`."""
    return Tree.from_preorder(_random_nodes(rng, size, shape, labels))


def _random_nodes(rng: random.Random, size: int, shape: str, labels: Sequence[str]) -> Nodes:
    nodes = [(rng.choice(labels), 0)]
    while len(nodes) < size:
        previous = nodes[-1][1]
        if shape == "page" and len(nodes) > 20 and rng.random() < 0.2:
            nodes += _copy_subtree(rng, nodes, size - len(nodes))
            continue
        depth = {
            "any": rng.randint(1, previous + 1),
            "deep": previous + 1 if rng.random() < 0.9 else rng.randint(1, previous + 1),
            "flat": 1 if rng.random() < 0.9 else 2,
            "star": 1,
            "comb": previous + len(nodes) % 2,
            "zigzag": previous + rng.choice((1, 1, 0)),
            "page": rng.randint(max(1, previous - 3), previous + 1),
        }[shape]
        nodes.append((rng.choice(labels), max(1, min(depth, previous + 1))))
    return nodes


def _copy_subtree(rng: random.Random, nodes: Nodes, at_most: int) -> Nodes:
    """Return up to `at_most` nodes of a random subtree, at depths that fit after the last node."""
    start = rng.randrange(1, len(nodes))
    depth = nodes[start][1]
    end = start + 1
    while end < len(nodes) and nodes[end][1] > depth and end - start < at_most:
        end += 1
    shift = max(1, min(depth, nodes[-1][1] + 1)) - depth
    return [(label, level + shift) for label, level in nodes[start:end]]


def edit_randomly(rng: random.Random, tree: Tree, edits: int, labels: Sequence[str]) -> Tree:
    """Return a copy of a tree with some nodes deleted, inserted and relabelled."""
    nodes = preorder(tree)
    for _ in range(edits):
        place = rng.randrange(1, len(nodes) + 1)
        operation = rng.choice(("delete", "insert", "relabel"))
        if operation == "insert" or place == len(nodes):
            depth = rng.randint(1, nodes[place - 1][1] + 1)
            nodes.insert(place, (rng.choice(labels), depth))
        elif operation == "relabel":
            nodes[place] = (rng.choice(labels), nodes[place][1])
        else:
            depth = nodes.pop(place)[1]
            while place < len(nodes) and nodes[place][1] > depth:
                nodes[place] = (nodes[place][0], nodes[place][1] - 1)
                place += 1
    return Tree.from_preorder(clip_depths(nodes))


def preorder(tree: Tree) -> Nodes:
    """Return the nodes of a tree in document order, as pairs of label and depth."""
    sizes = tree.sizes.tolist()
    nodes: Nodes = []
    # The tree numbers its nodes in postorder, so the root is the last node.
    stack = [(len(tree) - 1, 0)]
    while stack:
        node, depth = stack.pop()
        nodes.append((tree.labels[node], depth))
        child = node - 1
        while child > node - sizes[node]:
            stack.append((child, depth + 1))
            child -= sizes[child]
    return nodes
