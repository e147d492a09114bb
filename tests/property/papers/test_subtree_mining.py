"""CommentsMiner's mining finds exactly the subtrees that are closed by definition."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from detourage.papers.commentsminer.mining import mine_tree
from tests.property.papers.subtrees import closed_subtrees, nested, random_tree


@given(st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_mined_subtrees_are_those_of_the_definition(chance: random.Random) -> None:
    labels, parents = random_tree(chance, 9)
    mined = [(nested(each.labels, each.parents), each.roots) for each in mine_tree(labels, parents)]
    assert len(set(mined)) == len(mined)
    assert set(mined) == closed_subtrees(labels, parents)


@given(st.randoms(use_true_random=False), st.integers(0, 300))
@settings(max_examples=100)
def test_with_few_steps_the_most_frequent_subtrees_are_still_exact(
    chance: random.Random, steps: int
) -> None:
    labels, parents = random_tree(chance, 14)
    whole = mine_tree(labels, parents)
    some = mine_tree(labels, parents, steps)
    reached = min((len(each.roots) for each in some), default=len(labels))
    assert {each for each in whole if len(each.roots) > reached} <= set(some)
