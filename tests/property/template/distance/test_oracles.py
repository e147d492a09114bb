"""The kernel agrees with an independent implementation and with its own variants."""

import random
from itertools import product

import numpy as np
import pytest
from apted import APTED, Config
from apted.helpers import Tree as Bracketed

from detourage.html.tree import Tree
from detourage.template.distance import _native, edit_mapping, tree_edit_distance
from detourage.template.distance.forest import Forest
from tests.property.template.distance.trees import SHAPES, edit_randomly, preorder, random_tree
from tests.trees import format_brackets, parse_brackets

PAIRS = 90  # number of pairs per seed

MAX_NODES = 24


def random_pair(rng: random.Random) -> tuple[Tree, Tree]:
    """Draw two trees of any shape, which are unrelated, related or equal."""
    labels = rng.choice(("a", "ab", "abcdefgh"))
    a = random_tree(rng, rng.randint(1, MAX_NODES), rng.choice(SHAPES), labels)
    relation = rng.randrange(4)
    if relation == 0:
        return a, edit_randomly(rng, a, rng.randint(0, 6), labels)
    if relation == 1:
        # Copies of the tree, some of them edited, below a new root.
        copies = [edit_randomly(rng, a, rng.randint(0, 1), "ab") for _ in range(rng.randint(1, 2))]
        copied_nodes = [(label, depth + 1) for copy in copies for label, depth in preorder(copy)]
        return a, Tree.from_preorder([("a", 0), *copied_nodes])
    return a, random_tree(rng, rng.randint(1, MAX_NODES), rng.choice(SHAPES), labels)


@pytest.mark.parametrize("seed", range(12))
def test_random_pairs_have_the_distance_of_an_independent_implementation(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(PAIRS):
        a, b = random_pair(rng)
        distance = tree_edit_distance(a, b)
        bracketed_trees = (Bracketed.from_text(format_brackets(tree)) for tree in (a, b))
        assert distance == APTED(*bracketed_trees, Config()).compute_edit_distance()
        bound = rng.randrange(distance + 2)
        assert tree_edit_distance(b, a, bound=bound) == min(distance, bound + 1)
        changes = [
            i is None or j is None or a.labels[i] != b.labels[j] for i, j in edit_mapping(a, b)
        ]
        assert changes.count(True) == distance


VARIANTS = list(
    product(_native.UNITS, (16, 32), ("left", "right"), (True, False), (True, False), (True, False))
)
VARIANT_WITHOUT_OPTIMISATIONS = (_native.UNITS[0], 0, "", False, False, False)


def pairs_of_trees(seed: int) -> list[tuple[Tree, Tree]]:
    """Draw trees of all shapes, each with an edited copy and an unrelated tree."""
    rng = random.Random(seed)
    pairs = []
    for shape in SHAPES:
        labels = rng.choice(("ab", "abcdefgh"))
        a = random_tree(rng, rng.randint(2, 90), shape, labels)
        other = random_tree(rng, rng.randint(2, 90), rng.choice(SHAPES), labels)
        pairs += [(a, edit_randomly(rng, a, rng.randint(1, 12), labels)), (a, other)]
    return pairs


@pytest.mark.parametrize("seed", range(4))
def test_every_variant_gives_the_same_distance_or_one_above_the_bound(seed: int) -> None:
    rng = random.Random(seed)
    for a, b in pairs_of_trees(seed):
        expected = tree_edit_distance(a, b)
        for way in VARIANTS:
            assert Forest([a, b], way=way).distances([0], [1])[0] == expected, way
        for bound in {0, expected // 2, max(0, expected - 1), expected, expected + 3}:
            way = rng.choice(VARIANTS)
            bounded = Forest([a, b], way=way).distances([0], [1], bound=bound)[0]
            assert bounded == min(expected, bound + 1), way


@pytest.mark.parametrize("seed", range(8, 12))
@pytest.mark.parametrize("memory", [200, 20_000, 2**24])
def test_cached_results_do_not_change_distances(seed: int, memory: int) -> None:
    rng = random.Random(seed)
    first_tree = random_tree(rng, 200, "page", "abcdef")
    site = [first_tree]
    while len(site) < 8:
        site.append(edit_randomly(rng, rng.choice(site), 15, "abcdef"))
    site.append(random_tree(rng, 150, "page", "abcdef"))
    a, b = np.triu_indices(len(site), 1)
    expected = Forest(site, way=VARIANT_WITHOUT_OPTIMISATIONS).distances(a, b)
    for way in (
        None,
        (_native.UNITS[-1], 32, "", False, False, False),
        VARIANT_WITHOUT_OPTIMISATIONS,
    ):
        for threads in (1, 3):
            forest = Forest(site, memory=memory, way=way)
            for _ in range(2):
                assert np.array_equal(forest.distances(a, b, threads=threads), expected)


def test_an_instruction_set_that_the_processor_lacks_is_rejected() -> None:
    tree = parse_brackets("{a}")
    with pytest.raises(ValueError, match="abacus"):
        Forest([tree, tree], way=("abacus", 0, "", True, True, True)).distances([0], [1])
