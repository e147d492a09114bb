"""Division of a site's pairs of trees into blocks of bounded work."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

BLOCK_SIDE = 32
"""Maximum number of trees per side of a square block; no other block has more pairs than this."""

BLOCK_NODES = 50_000
"""Maximum number of nodes of the trees on a side, which are all unpacked at the same time."""


@dataclass(frozen=True)
class PairBlock:
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
    side: int = BLOCK_SIDE,
    sizes: Mapping[int, int] | None = None,
) -> Iterator[PairBlock]:
    """Divide the missing comparisons into blocks that contain every missing pair exactly once.

    All pairs of `compared` are known; `arrived` are to be compared with each other and with these.
    A block has at most `side` rows and ``side ** 2`` pairs; if `sizes` are given, blocks of large
    trees have fewer. The blocks depend only on the sets of IDs, so resumed work is divided in the
    same way.
    """
    old = sorted(set(compared))
    new = list(parts(sorted(set(arrived).difference(old)), side, sizes))
    for place, rows in enumerate(new):
        # Few rows get many columns, so that a single new page results in one block rather than a
        # dozen.
        columns_of_old = parts(old, side * side // len(rows), sizes, side / len(rows))
        for columns in (*columns_of_old, *new[: place + 1]):
            if len(rows) > 1 or rows != columns:
                yield PairBlock(rows, columns)


def blocks_of_missing(
    identities: Sequence[int],
    is_known: npt.NDArray[np.bool_],
    *,
    side: int = BLOCK_SIDE,
    sizes: Mapping[int, int] | None = None,
) -> list[PairBlock]:
    """Divide the unknown distances of a matrix into blocks (see `blocks_to_compare`).

    `identities` are in ascending order; `is_known` is symmetric, and True on the diagonal. The
    blocks contain every missing pair exactly once, and possibly some known pairs.
    """
    complete = np.zeros(len(identities), np.bool_)
    # Starting with the trees with the fewest missing distances yields a large complete set.
    for place in np.argsort((~is_known).sum(axis=1), kind="stable"):
        complete[place] = is_known[place, complete].all()
    if complete.sum() == 1:
        complete[:] = False
    blocks = blocks_to_compare(
        [identity for identity, done in zip(identities, complete, strict=True) if done],
        [identity for identity, done in zip(identities, complete, strict=True) if not done],
        side=side,
        sizes=sizes,
    )
    rows_of = {identity: place for place, identity in enumerate(identities)}
    return [
        block
        for block in blocks
        if not is_known[
            np.ix_([rows_of[i] for i in block.rows], [rows_of[i] for i in block.columns])
        ].all()
    ]


def parts(
    identities: Sequence[int], most: int, sizes: Mapping[int, int] | None = None, share: float = 1
) -> Iterator[tuple[int, ...]]:
    """Divide trees into parts of at most `most` trees and `share * BLOCK_NODES` nodes.

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
