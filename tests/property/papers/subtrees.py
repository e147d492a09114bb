"""Brute-force enumeration of subtrees: the reference for the mining of CommentsMiner."""

import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

Nested: TypeAlias = "tuple[str, tuple[Nested, ...]]"
"""A subtree: the label of its root and the subtrees below it."""


def random_tree(chance: random.Random, largest: int) -> tuple[list[str], list[int]]:
    """Return a random tree: its labels (one to four kinds) in preorder, and the nodes' parents."""
    kinds = "abcd"[: chance.randint(1, 4)]
    labels, parents, path = [chance.choice(kinds)], [-1], [0]
    for node in range(1, chance.randint(2, largest)):
        path = path[: chance.randint(1, len(path))]
        labels.append(chance.choice(kinds))
        parents.append(path[-1])
        path.append(node)
    return labels, parents


def nested(labels: Sequence[str], parents: Sequence[int]) -> Nested:
    """Return a tree, given by labels and parents, as nested tuples."""
    below: list[list[Nested]] = [[] for _ in labels]
    for node in range(len(labels) - 1, 0, -1):
        below[parents[node]].insert(0, (labels[node], tuple(below[node])))
    return labels[0], tuple(below[0])


def closed_subtrees(
    labels: Sequence[str], parents: Sequence[int]
) -> set[tuple[Nested, tuple[int, ...]]]:
    """Return, by brute force, the closed frequent subtrees that `mine_tree` should find.

    All induced ordered subtrees are enumerated, with every occurrence of their rightmost node. A
    subtree is frequent if it occurs at two or more roots and has as many rightmost nodes as roots.
    It is returned with its roots, unless a larger subtree with the same number of roots contains
    it.
    """
    children: list[list[int]] = [[] for _ in labels]
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)

    def subtrees_at(node: int) -> set[tuple[Nested, int]]:
        found: set[tuple[tuple[Nested, ...], int]] = {((), node)}
        for child in children[node]:
            inside = subtrees_at(child)
            found |= {
                ((*before, tree), last) for (before, _), (tree, last) in product(found, inside)
            }
        return {((labels[node], below), last) for below, last in found}

    lasts: defaultdict[Nested, defaultdict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for root in range(len(labels)):
        for tree, last in subtrees_at(root):
            lasts[tree][root].add(last)
    kept = {
        tree: tuple(sorted(roots))
        for tree, roots in lasts.items()
        if 2 <= len(roots) == len(set().union(*roots.values()))
    }
    return {
        (tree, roots)
        for tree, roots in kept.items()
        if not any(
            other != tree and len(others) == len(roots) and _holds(other, tree)
            for other, others in kept.items()
        )
    }


def _holds(larger: Nested, smaller: Nested) -> bool:
    return _is_at_root(larger, smaller) or any(_holds(below, smaller) for below in larger[1])


def _is_at_root(larger: Nested, smaller: Nested) -> bool:
    remaining = iter(larger[1])
    return larger[0] == smaller[0] and all(
        any(_is_at_root(place, below) for place in remaining) for below in smaller[1]
    )
