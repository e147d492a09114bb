"""Trees unlike any real page: each operation ends with a result or with a clear refusal."""

import random
import signal
import threading
from collections.abc import Callable

import numpy as np
import pytest

from detourage.html.tree import Tree
from detourage.template.distance import (
    NOT_COMPUTED,
    TreeTooLargeError,
    _native,
    edit_mapping,
    tree_edit_distance,
)
from detourage.template.distance.forest import ANY_WORK, TASK_WORK, Forest
from detourage.template.groups import group_site
from tests.property.template.distance.trees import clip_depths, edit_randomly, random_tree

NODES = 70_000
DEPTH = 10_000
CHILDREN = 35_000


def chain(nodes: int, labels: str = "a") -> list[tuple[str, int]]:
    """Return the nodes of a chain, each below the previous one."""
    return [(labels[i % len(labels)], i) for i in range(nodes)]


def star(children: int, labels: str = "a") -> list[tuple[str, int]]:
    """Return a node with many children."""
    return [("a", 0), *((labels[i % len(labels)], 1) for i in range(children))]


def right_comb(teeth: int) -> list[tuple[str, int]]:
    """Return a chain in which every node has a leaf before the next node of the chain."""
    return [node for depth in range(teeth) for node in (("a", depth), ("b", depth + 1))]


def ladder(rungs: int) -> list[tuple[str, int]]:
    """Return a chain with leaves on both sides, which is expensive from either side."""
    return right_comb(rungs) + [("c", depth) for depth in range(rungs, 0, -1)]


def star_of_chains(chains: int, depth: int) -> list[tuple[str, int]]:
    """Return chains with different labels below a common root."""
    below = [(f"{i % 97}", 1 + level) for i in range(chains) for level in range(depth)]
    return [("a", 0), *below]


STAR = Tree.from_preorder(star(CHILDREN))
CHAIN = Tree.from_preorder(chain(DEPTH))
EXTREME_TREES = {
    "star": STAR,
    "chain": Tree.from_preorder(chain(NODES, "ab")),
    "right comb": Tree.from_preorder(right_comb(NODES // 2)),
    # Every node has a leaf after the next node of the chain.
    "left comb": Tree.from_preorder(
        chain(NODES // 2) + [("b", depth) for depth in range(NODES // 2, 0, -1)]
    ),
    "ladder": Tree.from_preorder(ladder(NODES // 3)),
    "star of chains": Tree.from_preorder(star_of_chains(200, NODES // 200)),
}


def test_extreme_shapes_have_the_expected_distances() -> None:
    assert tree_edit_distance(STAR, Tree.from_preorder(star(CHILDREN, "ab"))) == CHILDREN // 2
    assert tree_edit_distance(CHAIN, Tree.from_preorder(chain(DEPTH, "ab"))) == DEPTH // 2
    assert tree_edit_distance(STAR, CHAIN) == len(STAR) + DEPTH - 4
    assert tree_edit_distance(STAR, EXTREME_TREES["chain"]) == len(STAR) + NODES - 4
    combs = EXTREME_TREES["left comb"], EXTREME_TREES["right comb"]
    assert tree_edit_distance(*combs, bound=NODES // 10) == NODES // 10 + 1


@pytest.mark.parametrize("a", EXTREME_TREES)
def test_extreme_trees_are_compared_with_themselves_and_with_one_more_node(a: str) -> None:
    tree = EXTREME_TREES[a]
    larger = Tree.from_postorder((*tree.labels, "z"), [*tree.sizes.tolist(), len(tree) + 1])
    assert tree_edit_distance(tree, Tree(tree.labels, tree.sizes.copy())) == 0
    assert tree_edit_distance(tree, larger, bound=0) == 1


TOO_LARGE = Tree.from_preorder(ladder(NODES // 5))
"""A tree that is larger than the star, and slightly too large for a comparison with it."""


@pytest.mark.parametrize("compare", [tree_edit_distance, edit_mapping])
def test_trees_above_the_limits_are_refused(compare: Callable[[Tree, Tree], object]) -> None:
    with pytest.raises(TreeTooLargeError):
        compare(TOO_LARGE, STAR)


def test_a_page_too_large_to_compare_is_an_outlier() -> None:
    found = group_site("a.example", ["1", "2", "3"], [STAR, TOO_LARGE, STAR])
    assert found.grouping.outliers == (1,)
    assert np.isnan(found.distances[1, [0, 2]]).all()
    assert found.grouping.groups[0].members == (0, 2)


@pytest.mark.parametrize("nodes", [15_990, 16_010])
def test_all_kernels_agree_close_to_the_16_bit_limit(nodes: int) -> None:
    rng = random.Random(nodes)
    tree = random_tree(rng, nodes, "flat", "abc")
    trees = [tree, edit_randomly(rng, tree, 30, "abc")]
    distances = {
        Forest(trees, way=(unit, bits, "", False, False, True)).distances([0], [1])[0]
        for unit in _native.UNITS
        for bits in (0, 32)
    }
    assert len(distances) == 1
    assert 0 < distances.pop() <= 30


MAX_PAGE_DEPTH = 512  # maximum depth of a page's tree (see `detourage.html`)

DEEP_PAGE_SHAPES = {
    "chains": star_of_chains(24, MAX_PAGE_DEPTH - 2),
    "combs": [("a", 0)]
    + [(f"{i % 3}", 1 + i % (MAX_PAGE_DEPTH - 3) + i % 2) for i in range(12_000)],
    "scattered": [("a", 0)] + [(f"{i * i % 7}", 1 + i * 7919 % 13) for i in range(12_000)],
    "star": star(12_000, "abc"),
}


def test_no_pair_is_compared_after_the_work_limit() -> None:
    trees = [
        Tree.from_preorder(clip_depths(nodes[: len(nodes) - cut]))
        for nodes in DEEP_PAGE_SHAPES.values()
        for cut in range(3)
    ]
    forest = Forest(trees, memory=2**26, work=TASK_WORK)
    distances = forest.try_distances(*np.triu_indices(len(trees), 1))
    computed_pairs = int(np.flatnonzero(distances == NOT_COMPUTED)[0])
    assert computed_pairs > 0
    assert (distances[:computed_pairs] != NOT_COMPUTED).all()
    assert (distances[computed_pairs:] == NOT_COMPUTED).all()
    assert forest.work <= 4 * TASK_WORK


class InterruptError(Exception):
    """Raised by the signal handler of the test."""


def test_an_interrupt_does_not_wait_for_the_end_of_a_long_list() -> None:
    def interrupt(_signal: int, _frame: object) -> None:
        raise InterruptError

    rng = random.Random(1)
    trees = [random_tree(rng, 2_500, "page", "a") for _ in range(2)]
    sizes = np.concatenate([tree.sizes for tree in trees])
    starts = np.array([0, 2_500, 5_000])
    forest = _native.Forest(np.zeros_like(sizes), sizes, starts, 0, ANY_WORK)
    first, last = np.zeros(20_000, np.int32), np.ones(20_000, np.int32)
    distances = np.full(20_000, -7, np.int32)
    handler = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(InterruptError):
            forest.distances(first, last, distances, np.iinfo(np.int32).max - 1, None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert distances[0] >= 0
    assert distances[-1] == -7


def test_other_threads_run_while_trees_are_compared() -> None:
    rng = random.Random(2)
    trees = [random_tree(rng, 2_500, "page", "abcdefgh") for _ in range(6)]
    done = threading.Event()

    def compare() -> None:
        Forest(trees).distances(*np.triu_indices(len(trees), 1))
        done.set()

    thread = threading.Thread(target=compare)
    thread.start()
    steps = 0
    while not done.is_set():
        steps += 1
    thread.join()
    assert steps > 1_000
