"""Ordered labelled trees, the basis of page comparison."""

import zlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.limits import MAX_HTML_BYTES
from detourage.records import record

_FORMAT = b"T1"
_MAX_BYTES = 2 * MAX_HTML_BYTES
"""Maximum size of an unpacked tree: the labels are part of the page, and a node takes 8 bytes."""


class TreeFormatError(ValueError):
    """The bytes or nodes do not describe a tree."""


@record
class Tree:
    """An ordered labelled tree in postorder, so that the root is last.

    `sizes` is the number of nodes in each node's subtree, including the node itself, as a read-only
    array of shape (n,). The leftmost leaf below node ``i`` is ``i - sizes[i] + 1``.

    Trees are equal if their shapes and labels are equal. No method is recursive, so the depth of a
    tree is limited only by memory.
    """

    labels: tuple[str, ...]
    sizes: npt.NDArray[np.int32]

    @classmethod
    def from_postorder(
        cls, labels: Iterable[str], sizes: Sequence[int] | npt.NDArray[np.integer]
    ) -> Self:
        """Build a tree from nodes in postorder; raise TreeFormatError if they do not form one."""
        named = tuple(labels)
        try:
            array = np.array(sizes, dtype=np.int32)
        except OverflowError as error:
            raise TreeFormatError(f"the tree is too large: {error}") from error
        _check_sizes(array.tolist(), len(named))
        array.setflags(write=False)
        return cls(named, array)

    @classmethod
    def from_preorder(cls, nodes: Iterable[tuple[str, int]]) -> Self:
        """Build the tree from the labels and depths of its nodes in document order.

        Raise TreeFormatError unless there is exactly one root, the first node, at depth 0, and no
        depth skips a level.
        """
        labels: list[str] = []
        sizes: list[int] = []
        open_nodes: list[tuple[str, int]] = []

        def close_to(depth: int) -> None:
            while len(open_nodes) > depth:
                label, first = open_nodes.pop()
                labels.append(label)
                sizes.append(len(labels) - first)

        for label, depth in nodes:
            if depth > len(open_nodes) or depth < 0:
                raise TreeFormatError(f"node {label!r} at depth {depth} has no parent")
            if depth == 0 and open_nodes:
                raise TreeFormatError(f"node {label!r} is a second root")
            close_to(depth)
            open_nodes.append((label, len(labels)))
        close_to(0)
        return cls.from_postorder(labels, sizes)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read the output of `to_bytes`; raise `TreeFormatError` for any other bytes."""
        if not data.startswith(_FORMAT):
            raise TreeFormatError("not a packed tree")
        # Imported here because reading one page needs no compression library.
        from detourage.packed_bytes import unpack

        try:
            payload = unpack(data[len(_FORMAT) :], _MAX_BYTES)
            names, nodes = _read_payload(payload)
            name_numbers, sizes = nodes.reshape(2, -1)
            labels = [names[number] for number in name_numbers.tolist()]
        except (ValueError, IndexError) as error:
            raise TreeFormatError(f"not a packed tree: {error}") from error
        return cls.from_postorder(labels, sizes)

    def to_bytes(self) -> bytes:
        """Pack the tree into bytes, which are equal for equal trees."""
        return _FORMAT + zlib.compress(self._payload())

    def _payload(self) -> bytes:
        """Return the number of labels, their lengths, the labels, the nodes' labels and sizes."""
        names = sorted(set(self.labels))
        number_of = {name: number for number, name in enumerate(names)}
        numbers = np.fromiter(map(number_of.__getitem__, self.labels), "<i4", len(self))
        encoded = [name.encode("utf-8", "surrogatepass") for name in names]
        header = np.array([len(encoded), *map(len, encoded)], dtype="<i4").tobytes()
        parts = (header, *encoded, numbers.tobytes(), self.sizes.astype("<i4").tobytes())
        return b"".join(parts)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the shape and labels, in hexadecimal."""
        # Imported here because it loads OpenSSL, which extraction does not need.
        import hashlib

        return hashlib.sha256(self._payload()).hexdigest()

    def __len__(self) -> int:
        return len(self.labels)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writable.
        self.__dict__.update(state)
        self.sizes.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self.labels == other.labels and bool(np.array_equal(self.sizes, other.sizes))

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Tree(<{len(self)} nodes>)"


class TreeShape(NamedTuple):
    """The digest and size of a tree, without its nodes."""

    digest: str
    size: int


def _check_sizes(sizes: list[int], count: int) -> None:
    """Raise TreeFormatError unless subtrees of these sizes form a tree of `count` nodes."""
    if not sizes:
        raise TreeFormatError("a tree has at least one node")
    if len(sizes) != count:
        raise TreeFormatError(f"{count} labels for {len(sizes)} nodes")
    # The first nodes of the subtrees that have no parent so far.
    first_nodes: list[int] = []
    for node, size in enumerate(sizes):
        first = node - size + 1
        if size < 1 or first < 0:
            raise TreeFormatError(f"node {node} cannot have a subtree of {size} nodes")
        covered_from = node
        while covered_from > first:
            covered_from = first_nodes.pop()
        if covered_from != first:
            raise TreeFormatError(f"the subtree of node {node} overlaps another one")
        first_nodes.append(first)
    if len(first_nodes) != 1:
        raise TreeFormatError(f"the tree has {len(first_nodes)} roots instead of one")


def _read_payload(payload: bytes) -> tuple[list[str], npt.NDArray[np.int32]]:
    """Return the distinct labels, and the label numbers and then the sizes of all nodes."""
    count = int(np.frombuffer(payload, "<i4", count=1)[0])
    lengths = np.frombuffer(payload, "<i4", count=count, offset=4)
    if count < 1 or (lengths < 0).any():
        raise ValueError("no labels, or a negative length")
    position = 4 + 4 * count
    names = []
    for length in lengths.tolist():
        names.append(payload[position : position + length].decode("utf-8", "surrogatepass"))
        position += length
    numbers = np.frombuffer(payload, "<i4", offset=position)
    if (numbers < 0).any():
        raise ValueError("negative numbers")
    return names, numbers
