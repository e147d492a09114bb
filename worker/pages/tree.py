"""Ordered labelled trees, the structure that pages are compared by."""

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

_FORMAT = b"T1"


class TreeFormatError(ValueError):
    """The text or bytes do not describe a tree."""


@dataclass(frozen=True, eq=False)
class Tree:
    """An ordered labelled tree in postorder.

    Parameters
    ----------
    labels
        Label of each node, in postorder; the root is last.
    sizes
        Number of nodes in the subtree of each node (itself included), in
        postorder, shape (n,), int32, read-only. The leftmost leaf below node
        ``i`` is ``i - sizes[i] + 1``.

    Notes
    -----
    Two trees are equal when their shapes and labels are.
    """

    labels: tuple[str, ...]
    sizes: npt.NDArray[np.int32]

    @classmethod
    def from_preorder(cls, nodes: Iterable[tuple[str, int]]) -> Self:
        """Build the tree from its nodes in document order.

        Parameters
        ----------
        nodes
            Pairs (label, depth); the root first, at depth 0.

        Raises
        ------
        TreeFormatError
            If there is no node, more than one root, or a depth that skips a level.
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
            if depth > len(open_nodes) or (depth == 0 and (open_nodes or labels)) or depth < 0:
                raise TreeFormatError(f"node {label!r} at depth {depth} has no parent")
            close_to(depth)
            open_nodes.append((label, len(labels)))
        close_to(0)
        if not labels:
            raise TreeFormatError("a tree has at least one node")
        return cls._of(labels, sizes)

    @classmethod
    def from_brackets(cls, text: str) -> Self:
        r"""Read bracket notation, ``{a{b}{c}}``; ``\`` escapes a brace or itself.

        Raises
        ------
        TreeFormatError
            If the brackets do not describe exactly one tree.
        """
        return cls.from_preorder(_bracket_nodes(text))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what `to_bytes` wrote.

        Raises
        ------
        TreeFormatError
            If the bytes are not a packed tree.
        """
        if not data.startswith(_FORMAT):
            raise TreeFormatError("not a packed tree")
        try:
            payload = zlib.decompress(data[len(_FORMAT) :])
            header, _, numbers = payload.partition(b"\x00")
            vocabulary = header.decode("utf-8").split("\n")
            codes, sizes = np.frombuffer(numbers, dtype="<i4").reshape(2, -1)
            return cls._of([vocabulary[code] for code in codes], sizes)
        except (zlib.error, ValueError, IndexError) as error:
            raise TreeFormatError(f"not a packed tree: {error}") from error

    @classmethod
    def _of(cls, labels: Sequence[str], sizes: Sequence[int] | npt.NDArray[np.int32]) -> Self:
        array = np.array(sizes, dtype=np.int32)
        array.setflags(write=False)
        return cls(tuple(labels), array)

    def to_bytes(self) -> bytes:
        """Pack the tree; equal trees give equal bytes."""
        vocabulary = sorted(set(self.labels))
        code_of = {label: code for code, label in enumerate(vocabulary)}
        codes = np.fromiter((code_of[label] for label in self.labels), "<i4", len(self))
        numbers = np.stack([codes, self.sizes.astype("<i4")])
        return _FORMAT + zlib.compress("\n".join(vocabulary).encode() + b"\x00" + numbers.tobytes())

    def to_brackets(self) -> str:
        """Write bracket notation, as `from_brackets` reads it."""
        pending: list[tuple[str, int]] = []
        for label, size in zip(self.labels, self.sizes.tolist(), strict=True):
            children: list[str] = []
            covered = 1
            while covered < size:
                child, child_size = pending.pop()
                children.append(child)
                covered += child_size
            escaped = label.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}")
            pending.append(("{" + escaped + "".join(reversed(children)) + "}", size))
        return pending[0][0]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of shape and labels, in hexadecimal."""
        return hashlib.sha256(
            "\n".join(self.labels).encode() + b"\x00" + self.sizes.astype("<i4").tobytes()
        ).hexdigest()

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self.labels == other.labels and bool(np.array_equal(self.sizes, other.sizes))

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        brackets = self.to_brackets() if len(self) <= 20 else f"<{len(self)} nodes>"
        return f"Tree({brackets})"


def _bracket_nodes(text: str) -> Iterable[tuple[str, int]]:
    depth = 0
    label: list[str] | None = None
    characters = iter(text.strip())
    for character in characters:
        if character == "{":
            if label is not None:
                yield "".join(label), depth - 1
            depth += 1
            label = []
        elif character == "}":
            if depth == 0:
                raise TreeFormatError("a closing brace without its opening one")
            if label is not None:
                yield "".join(label), depth - 1
            depth -= 1
            label = None
        else:
            if label is None:
                raise TreeFormatError(f"text outside of a node: {character!r}")
            label.append(next(characters, "") if character == "\\" else character)
    if depth:
        raise TreeFormatError("an opening brace is never closed")
