import copy
import pickle

import pytest

from detourage.html import Tree, TreeFormatError
from tests.trees import brackets_of, tree_of

DEPTH = 100_000


def test_preorder_and_postorder_build_the_same_tree() -> None:
    expected = tree_of("{a{b{c}}{d}}")
    assert Tree.from_preorder([("a", 0), ("b", 1), ("c", 2), ("d", 1)]) == expected
    assert Tree.from_postorder(["c", "b", "d", "a"], [1, 2, 1, 4]) == expected


def test_equality_compares_shape_and_labels() -> None:
    tree = tree_of("{a{b}{c}}")
    assert tree == tree_of("{a{b}{c}}")
    assert hash(tree) == hash(tree_of("{a{b}{c}}"))
    assert tree.digest == tree_of("{a{b}{c}}").digest
    for other in ("{a{c}{b}}", "{a{b{c}}}", "{a{b}}", "{a{b}{d}}"):
        assert tree != tree_of(other)
        assert tree.digest != tree_of(other).digest
    assert tree != "{a{b}{c}}"


def test_sizes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        tree_of("{a{b}}").sizes[0] = 2


@pytest.mark.parametrize(
    "nodes",
    [
        [],
        [("a", 1)],
        [("a", 0), ("b", 2)],
        [("a", 0), ("b", 0)],
        [("a", 0), ("b", -1)],
        [("a", 0), ("b", 1), ("c", 3)],
    ],
)
def test_invalid_depths_are_rejected(nodes: list[tuple[str, int]]) -> None:
    with pytest.raises(TreeFormatError):
        Tree.from_preorder(nodes)


@pytest.mark.parametrize(
    ("labels", "sizes"),
    [
        ("", []),
        ("ab", [2]),
        ("ab", [1, 1]),
        ("ab", [1, 3]),
        ("ab", [0, 2]),
        ("ab", [-1, 2]),
        ("abc", [1, 2, 2]),
        ("abcd", [1, 2, 1, 2]),
        ("ab", [1, 2**40]),
    ],
)
def test_invalid_sizes_are_rejected(labels: str, sizes: list[int]) -> None:
    with pytest.raises(TreeFormatError):
        Tree.from_postorder(labels, sizes)


@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: b"",
        lambda packed: b"x" + packed,
        lambda packed: packed[:-3],
        lambda packed: packed[:2],
        lambda packed: packed[:10] + b"\xff" + packed[11:],
    ],
)
def test_damaged_bytes_are_rejected(damage) -> None:  # type: ignore[no-untyped-def]
    packed = tree_of("{html{head}{body{p}{p}}}").to_bytes()
    with pytest.raises(TreeFormatError):
        Tree.from_bytes(damage(packed))


def test_depth_is_limited_only_by_memory() -> None:
    tree = Tree.from_preorder(("div", depth) for depth in range(DEPTH))
    assert tree.sizes.tolist() == list(range(1, DEPTH + 1))
    assert brackets_of(tree) == "{div" * DEPTH + "}" * DEPTH
    assert tree_of(brackets_of(tree)) == tree
    assert Tree.from_bytes(tree.to_bytes()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert len({tree, copy.deepcopy(tree)}) == 1
    assert repr(tree) == f"Tree(<{DEPTH} nodes>)"
