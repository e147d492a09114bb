import random
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detourage.template.distance import blocks_of_missing, blocks_to_compare

tree_ids = st.lists(st.integers(0, 99), max_size=40)


@given(tree_ids, tree_ids, st.integers(1, 12))
def test_every_new_pair_is_in_one_block(compared: list[int], arrived: list[int], side: int) -> None:
    blocks = list(blocks_to_compare(compared, arrived, side=side))
    pairs = [pair for block in blocks for pair in block.pairs()]
    all_pairs = set(combinations(sorted({*compared, *arrived}), 2))
    assert sorted(pairs) == sorted(all_pairs - set(combinations(sorted(set(compared)), 2)))
    assert all(len(block.rows) <= side for block in blocks)
    assert all(len(block.rows) * len(block.columns) <= side * side for block in blocks)


@given(st.sets(st.integers(0, 99), max_size=30), st.integers(1, 9), st.randoms())
def test_every_unknown_pair_is_in_one_block(trees: set[int], side: int, rng: random.Random) -> None:
    is_known = np.eye(len(trees), dtype=np.bool_)
    pairs = list(combinations(range(len(trees)), 2))
    for i, j in rng.sample(pairs, len(pairs) * rng.randrange(5) // 4):
        is_known[i, j] = is_known[j, i] = True
    sorted_ids = sorted(trees)
    blocks = blocks_of_missing(sorted_ids, is_known, side=side)
    block_pairs = [pair for block in blocks for pair in block.pairs()]
    missing_pairs = {(sorted_ids[i], sorted_ids[j]) for i, j in pairs if not is_known[i, j]}
    assert len(set(block_pairs)) == len(block_pairs)
    assert missing_pairs <= set(block_pairs)
    assert bool(blocks) == bool(missing_pairs)


def test_large_trees_make_small_blocks() -> None:
    sizes = {0: 300_000, 1: 20_000, 2: 20_000, 3: 20_000, 4: 100}
    blocks = list(blocks_to_compare([], range(5), sizes=sizes))
    assert {block.columns for block in blocks} == {(0,), (1, 2), (3, 4)}
    pairs = [pair for block in blocks for pair in block.pairs()]
    assert sorted(pairs) == list(combinations(range(5), 2))


@given(tree_ids, tree_ids, st.randoms())
def test_blocks_do_not_depend_on_the_order(
    compared: list[int], arrived: list[int], rng: random.Random
) -> None:
    expected = list(blocks_to_compare(compared, arrived))
    shuffled = [rng.sample(trees, len(trees)) for trees in (compared, arrived)]
    assert list(blocks_to_compare(*shuffled)) == expected
