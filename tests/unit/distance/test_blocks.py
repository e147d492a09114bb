import random
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from worker.distance import Block, blocks_to_compare

identities = st.lists(st.integers(0, 99), max_size=40)


@given(identities, identities, st.integers(1, 12))
def test_every_missing_pair_is_in_one_block(
    compared: list[int], arrived: list[int], side: int
) -> None:
    blocks = list(blocks_to_compare(compared, arrived, side=side))
    pairs = [pair for block in blocks for pair in block.pairs()]
    everything = set(combinations(sorted({*compared, *arrived}), 2))
    assert sorted(pairs) == sorted(everything - set(combinations(sorted(set(compared)), 2)))
    assert all(len(block.rows) <= side and len(block.columns) <= side for block in blocks)


@given(identities, identities, st.randoms())
def test_blocks_do_not_depend_on_the_order(
    compared: list[int], arrived: list[int], chance: random.Random
) -> None:
    expected = list(blocks_to_compare(compared, arrived))
    shuffled = [chance.sample(trees, len(trees)) for trees in (compared, arrived)]
    assert list(blocks_to_compare(*shuffled)) == expected


def test_a_block_among_its_own_trees_has_each_pair_once() -> None:
    assert list(Block((1, 2, 3), (1, 2, 3)).pairs()) == [(1, 2), (1, 3), (2, 3)]
    assert list(Block((5,), (1, 9)).pairs()) == [(1, 5), (5, 9)]
