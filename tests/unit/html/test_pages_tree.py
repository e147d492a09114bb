import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.html import Tree, TreeFormatError

DEPTH = 100_000


def test_brackets_are_read_in_postorder() -> None:
    tree = Tree.from_brackets("{a{b{c}{d}}{e}}")
    assert tree.labels == ("c", "d", "b", "e", "a")
    assert tree.sizes.tolist() == [1, 1, 3, 1, 5]
    assert len(tree) == 5


def test_preorder_and_postorder_build_the_same_tree() -> None:
    expected = Tree.from_brackets("{a{b{c}}{d}}")
    assert Tree.from_preorder([("a", 0), ("b", 1), ("c", 2), ("d", 1)]) == expected
    assert Tree.from_postorder(["c", "b", "d", "a"], [1, 2, 1, 4]) == expected


def test_braces_and_backslashes_are_escaped() -> None:
    tree = Tree.from_brackets(r"{a\{b\}{c\\}}")
    assert tree.labels == ("c\\", "a{b}")
    assert tree.to_brackets() == r"{a\{b\}{c\\}}"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (" {a\n  {b }\t{ c} \r\n} ", (["b ", " c", "a\n  "])),
        ("{}", [""]),
        ("{{}{}}", ["", "", ""]),
        (r"{a\\{b\c\d}}", ["b\\c\\d", "a\\"]),
        (r"{\\\{{\}\}}}", ["}}", "\\{"]),
        ("{é{中}{😀\x00}}", ["中", "😀\x00", "é"]),
    ],
)
def test_a_label_is_the_text_between_braces(text: str, labels: list[str]) -> None:
    tree = Tree.from_brackets(text)
    assert list(tree.labels) == labels
    assert Tree.from_brackets(tree.to_brackets()) == tree


@given(st.text("ab{}\\ \n", max_size=12), st.text(max_size=5))
def test_any_label_survives_bracket_notation(root: str, child: str) -> None:
    tree = Tree.from_preorder([(root, 0), (child, 1), (root, 2), (child, 1)])
    assert Tree.from_brackets(tree.to_brackets()) == tree


@given(st.text("{}\\a ", max_size=16))
def test_any_text_is_a_tree_or_rejected(text: str) -> None:
    try:
        tree = Tree.from_brackets(text)
    except TreeFormatError:
        return
    assert Tree.from_brackets(tree.to_brackets()) == tree


def test_equality_compares_shape_and_labels() -> None:
    tree = Tree.from_brackets("{a{b}{c}}")
    assert tree == Tree.from_brackets("{a{b}{c}}")
    assert hash(tree) == hash(Tree.from_brackets("{a{b}{c}}"))
    assert tree.digest == Tree.from_brackets("{a{b}{c}}").digest
    for other in ("{a{c}{b}}", "{a{b{c}}}", "{a{b}}", "{a{b}{d}}"):
        assert tree != Tree.from_brackets(other)
        assert tree.digest != Tree.from_brackets(other).digest
    assert tree != "{a{b}{c}}"


def test_labels_with_line_ends_are_distinguished() -> None:
    one, other = Tree.from_brackets("{a{b\nc}{d}}"), Tree.from_brackets("{a{b}{c\nd}}")
    assert one.digest != other.digest
    assert Tree.from_bytes(one.to_bytes()) == one


def test_sizes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Tree.from_brackets("{a{b}}").sizes[0] = 2


def test_the_given_sizes_are_copied() -> None:
    sizes = np.array([1, 2], dtype=np.int32)
    tree = Tree.from_postorder(["b", "a"], sizes)
    sizes[0] = 9
    assert tree.sizes.tolist() == [1, 2]


def test_a_tree_survives_pickling() -> None:
    tree = Tree.from_brackets("{a{b}{c}}")
    for copied in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert copied == tree
        assert not copied.sizes.flags.writeable


def test_the_repr_of_a_long_tree_is_its_length() -> None:
    assert repr(Tree.from_brackets("{a{b}}")) == "Tree({a{b}})"
    assert repr(Tree.from_preorder([("a", 0)] + [("b", 1)] * 30)) == "Tree(<31 nodes>)"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "at least one node"),
        (" \n", "at least one node"),
        ("a", "character 0: 'a'"),
        ("{a", "still open"),
        ("{a}}", "character 3 closes"),
        ("}", "character 0 closes"),
        ("{a}{b}", "'b' is a second root"),
        ("{a} b", "character 4: 'b'"),
        ("x{a}", "character 0: 'x'"),
        ("{a{b}c}", "character 5: 'c'"),
        ("{a{b}\\{}", "outside of a label"),
        ("{a\\", "still open"),
        ("{a\\}", "still open"),
    ],
)
def test_invalid_brackets_are_rejected(text: str, reason: str) -> None:
    with pytest.raises(TreeFormatError, match=reason):
        Tree.from_brackets(text)


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
    packed = Tree.from_brackets("{html{head}{body{p}{p}}}").to_bytes()
    with pytest.raises(TreeFormatError):
        Tree.from_bytes(damage(packed))


def test_depth_is_limited_only_by_memory() -> None:
    tree = Tree.from_preorder(("div", depth) for depth in range(DEPTH))
    assert tree.sizes.tolist() == list(range(1, DEPTH + 1))
    assert tree.to_brackets() == "{div" * DEPTH + "}" * DEPTH
    assert Tree.from_brackets(tree.to_brackets()) == tree
    assert Tree.from_bytes(tree.to_bytes()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert len({tree, copy.deepcopy(tree)}) == 1
    assert repr(tree) == f"Tree(<{DEPTH} nodes>)"
