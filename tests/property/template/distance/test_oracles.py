"""The kernel agrees with an independent implementation on a thousand random pairs."""

import random

import pytest
from apted import APTED, Config
from apted.helpers import Tree as Bracketed

from detourage.html.tree import Tree
from detourage.template.distance import edit_mapping, tree_edit_distance
from tests.property.template.distance.trees import SHAPES, edited, preorder, random_tree
from tests.trees import brackets_of

PAIRS = 90
"""Number of pairs per seed."""

LARGEST = 24


def random_pair(source: random.Random) -> tuple[Tree, Tree]:
    """Draw two trees of any shape, which are unrelated, related or equal."""
    labels = source.choice(("a", "ab", "abcdefgh"))
    a = random_tree(source, source.randint(1, LARGEST), source.choice(SHAPES), labels)
    relation = source.randrange(4)
    if relation == 0:
        return a, edited(source, a, source.randint(0, 6), labels)
    if relation == 1:
        return a, with_repeats(source, a)
    return a, random_tree(source, source.randint(1, LARGEST), source.choice(SHAPES), labels)


def with_repeats(source: random.Random, tree: Tree) -> Tree:
    """Return a tree with copies of the given tree, some of them edited, below a new root."""
    nodes = [("a", 0)]
    for _ in range(source.randint(1, 2)):
        copy = edited(source, tree, source.randint(0, 1), "ab")
        nodes += [(label, depth + 1) for label, depth in preorder(copy)]
    return Tree.from_preorder(nodes)


@pytest.mark.parametrize("seed", range(12))
def test_random_pairs_have_the_distance_of_an_independent_implementation(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(PAIRS):
        a, b = random_pair(source)
        distance = tree_edit_distance(a, b)
        forms = (Bracketed.from_text(brackets_of(tree)) for tree in (a, b))
        assert distance == APTED(*forms, Config()).compute_edit_distance()
        bound = source.randrange(distance + 2)
        assert tree_edit_distance(b, a, bound=bound) == min(distance, bound + 1)
        mapped = (
            i is None or j is None or a.labels[i] != b.labels[j] for i, j in edit_mapping(a, b)
        )
        assert sum(mapped) == distance
