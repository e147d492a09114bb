import copy
import pickle
from collections.abc import Callable
from functools import partial

import pytest

from detourage.html import Tree, TreeFormatError
from tests.trees import format_brackets, parse_brackets

DEPTH = 100_000


def test_preorder_and_postorder_build_the_same_tree() -> None:
    expected = parse_brackets("{a{b{c}}{d}}")
    assert Tree.from_preorder([("a", 0), ("b", 1), ("c", 2), ("d", 1)]) == expected
    assert Tree.from_postorder(["c", "b", "d", "a"], [1, 2, 1, 4]) == expected


def test_equality_compares_shape_and_labels() -> None:
    tree = parse_brackets("{a{b}{c}}")
    assert tree == parse_brackets("{a{b}{c}}")
    assert hash(tree) == hash(parse_brackets("{a{b}{c}}"))
    assert tree.digest == parse_brackets("{a{b}{c}}").digest
    for other in ("{a{c}{b}}", "{a{b{c}}}", "{a{b}}", "{a{b}{d}}"):
        assert tree != parse_brackets(other)
        assert tree.digest != parse_brackets(other).digest
    assert tree != "{a{b}{c}}"


def test_sizes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        parse_brackets("{a{b}}").sizes[0] = 2


TREE_BYTES = parse_brackets("{html{head}{body{p}{p}}}").to_bytes()


@pytest.mark.parametrize(
    "build",
    [
        *(
            partial(Tree.from_preorder, [*zip("abc", depths, strict=False)])
            for depths in ((), (1,), (0, 2), (0, 0), (0, -1), (0, 1, 3))
        ),
        *(
            partial(Tree.from_postorder, labels, sizes)
            for labels, sizes in (
                *(("", []), ("ab", [2]), ("ab", [1, 1]), ("ab", [1, 3]), ("ab", [0, 2])),
                *(("ab", [-1, 2]), ("abc", [1, 2, 2]), ("abcd", [1, 2, 1, 2]), ("ab", [1, 2**40])),
            )
        ),
        *(
            partial(Tree.from_bytes, packed)
            for packed in (
                *(b"", b"x" + TREE_BYTES, TREE_BYTES[:-3], TREE_BYTES[:2]),
                TREE_BYTES[:10] + b"\xff" + TREE_BYTES[11:],
            )
        ),
    ],
    ids=lambda build: repr(build.args)[:50],
)
def test_invalid_depths_sizes_and_bytes_are_rejected(build: Callable[[], Tree]) -> None:
    with pytest.raises(TreeFormatError):
        build()


def test_depth_is_limited_only_by_memory() -> None:
    tree = Tree.from_preorder(("div", depth) for depth in range(DEPTH))
    assert tree.sizes.tolist() == list(range(1, DEPTH + 1))
    assert format_brackets(tree) == "{div" * DEPTH + "}" * DEPTH
    assert parse_brackets(format_brackets(tree)) == tree
    assert Tree.from_bytes(tree.to_bytes()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert len({tree, copy.deepcopy(tree)}) == 1
    assert repr(tree) == f"Tree(<{DEPTH} nodes>)"
