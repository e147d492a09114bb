import copy
import pickle

import numpy as np
import pytest

from detourage.html import Tree, TreeFormatError
from tests.trees import brackets_of, tree_of

DEPTH = 100_000


def test_brackets_are_read_in_postorder() -> None:
    tree = tree_of("{a{b{c}{d}}{e}}")
    assert tree.labels == ("c", "d", "b", "e", "a")
    assert tree.sizes.tolist() == [1, 1, 3, 1, 5]
    assert len(tree) == 5


def test_preorder_and_postorder_build_the_same_tree() -> None:
    expected = tree_of("{a{b{c}}{d}}")
    assert Tree.from_preorder([("a", 0), ("b", 1), ("c", 2), ("d", 1)]) == expected
    assert Tree.from_postorder(["c", "b", "d", "a"], [1, 2, 1, 4]) == expected


def test_braces_and_backslashes_are_escaped() -> None:
    tree = tree_of(r"{a\{b\}{c\\}}")
    assert tree.labels == ("c\\", "a{b}")
    assert brackets_of(tree) == r"{a\{b\}{c\\}}"


def test_equality_compares_shape_and_labels() -> None:
    tree = tree_of("{a{b}{c}}")
    assert tree == tree_of("{a{b}{c}}")
    assert hash(tree) == hash(tree_of("{a{b}{c}}"))
    assert tree.digest == tree_of("{a{b}{c}}").digest
    for other in ("{a{c}{b}}", "{a{b{c}}}", "{a{b}}", "{a{b}{d}}"):
        assert tree != tree_of(other)
        assert tree.digest != tree_of(other).digest
    assert tree != "{a{b}{c}}"


def test_labels_with_line_ends_are_distinguished() -> None:
    one, other = tree_of("{a{b\nc}{d}}"), tree_of("{a{b}{c\nd}}")
    assert one.digest != other.digest
    assert Tree.from_bytes(one.to_bytes()) == one


def test_sizes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        tree_of("{a{b}}").sizes[0] = 2


def test_the_given_sizes_are_copied() -> None:
    sizes = np.array([1, 2], dtype=np.int32)
    tree = Tree.from_postorder(["b", "a"], sizes)
    sizes[0] = 9
    assert tree.sizes.tolist() == [1, 2]


def test_a_tree_survives_pickling() -> None:
    tree = tree_of("{a{b}{c}}")
    for copied in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert copied == tree
        assert not copied.sizes.flags.writeable


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
