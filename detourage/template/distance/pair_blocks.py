"""Division of a site's pairs of trees into blocks of bounded work."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

MAX_BLOCK_SIDE = 32
"""Maximum number of trees per side of a square block; other blocks have at most as many pairs."""

BLOCK_NODES = 50_000
"""Maximum number of tree nodes per side of a block, which are in memory at the same time."""


class PairBlock(NamedTuple):
    """IDs of trees, in ascending order, to compare with each other or with other trees.

    The rows and columns are either equal or disjoint.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield each pair of the block once, with the smaller ID first."""
        if self.rows == self.columns:
            yield from combinations(self.rows, 2)
        else:
            yield from ((min(pair), max(pair)) for pair in product(self.rows, self.columns))


def blocks_to_compare(
    compared: Sequence[int],
    arrived: Sequence[int],
    *,
    side: int = MAX_BLOCK_SIDE,
    sizes: Mapping[int, int] | None = None,
) -> Iterator[PairBlock]:
    """Divide the missing comparisons into blocks that contain every missing pair exactly once.

    The trees `compared` have been compared with each other. The trees `arrived` must be compared
    with each other and with `compared`. A block has at most `side` rows and ``side ** 2`` pairs,
    fewer for large trees if the numbers of nodes (`sizes`) are given. The same sets of IDs always
    give the same blocks, so interrupted work can be resumed.
    """
    old = sorted(set(compared))
    new_parts = list(parts(sorted(set(arrived).difference(old)), side, sizes))
    for number, rows in enumerate(new_parts):
        # Few rows get many columns: a single new page needs one block rather than a dozen.
        old_parts = parts(old, side * side // len(rows), sizes, side / len(rows))
        for columns in (*old_parts, *new_parts[: number + 1]):
            if len(rows) > 1 or rows != columns:
                yield PairBlock(rows, columns)


def blocks_of_missing(
    identities: Sequence[int],
    is_known: npt.NDArray[np.bool_],
    *,
    side: int = MAX_BLOCK_SIDE,
    sizes: Mapping[int, int] | None = None,
) -> list[PairBlock]:
    """Divide the unknown distances of a matrix into blocks (see `blocks_to_compare`).

    `identities` are in ascending order; `is_known` is symmetric, and True on the diagonal. The
    blocks contain every missing pair exactly once, and possibly some known pairs.
    """
    # A set of trees that have all been compared with each other
    is_compared = np.zeros(len(identities), np.bool_)
    # Starting with the trees with the fewest missing distances yields a large set.
    for row in np.argsort((~is_known).sum(axis=1), kind="stable"):
        is_compared[row] = is_known[row, is_compared].all()
    if is_compared.sum() == 1:
        is_compared[:] = False
    trees = np.array(identities)
    compared, arrived = trees[is_compared].tolist(), trees[~is_compared].tolist()
    blocks = blocks_to_compare(compared, arrived, side=side, sizes=sizes)
    row_of = {identity: row for row, identity in enumerate(identities)}

    def is_missing(block: PairBlock) -> bool:
        rows, columns = [row_of[i] for i in block.rows], [row_of[i] for i in block.columns]
        return not bool(is_known[np.ix_(rows, columns)].all())

    return [block for block in blocks if is_missing(block)]


def parts(
    identities: Sequence[int], most: int, sizes: Mapping[int, int] | None = None, share: float = 1
) -> Iterator[tuple[int, ...]]:
    """Divide trees into parts of at most `most` trees and ``share * BLOCK_NODES`` nodes.

    A part with a single tree may have more nodes. Without `sizes`, only the number of trees counts.
    """
    part: list[int] = []
    nodes = 0
    for identity in identities:
        size = sizes[identity] if sizes else 0
        if part and (len(part) == most or nodes + size > share * BLOCK_NODES):
            yield tuple(part)
            part, nodes = [], 0
        part.append(identity)
        nodes += size
    if part:
        yield tuple(part)
