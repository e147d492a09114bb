"""Division of a site's pairs of trees into blocks of bounded work."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

BLOCK_SIDE = 32
"""Maximum number of trees on each side of a square block.

A longer block has at most the same number of pairs, about 1,000. These take 0.1 to 2 s for pages of
300 to 800 nodes. Blocks of 64 save 3 to 10 % of this time. A single block for the whole site saves
no more than that, because the pairs of a block already share the work on common subtrees."""

BLOCK_NODES = 50_000
"""Maximum total number of nodes on a side of a block, unless the side has a single tree.

This limit prevents many huge pages from being unpacked at the same time."""


@dataclass(frozen=True)
class PairBlock:
    """Trees to compare with other trees or with each other.

    `rows` and `columns` are IDs of trees in ascending order; the two are either equal or disjoint.
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
    """Divide missing comparisons into blocks.

    `compared` are the IDs of trees whose mutual distances are all known. The trees `arrived` are to
    be compared with each other and with `compared`; trees already in `compared` are skipped. A
    block has at most `side` rows and the square of `side` pairs. `sizes`, the numbers of nodes by
    tree ID, make blocks of large trees smaller.

    The blocks contain every missing pair exactly once. They depend only on the sets of IDs, not on
    their order, so that resumed work is divided in the same way.
    """
    old = sorted(set(compared))
    new = list(parts(sorted(set(arrived).difference(old)), side, sizes))
    for place, rows in enumerate(new):
        # Few rows get many columns, so that a single new page is one block rather than a dozen.
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

    `identities` are the IDs of the trees in ascending order. `is_known` states whether each
    distance is known, shape (n, n), symmetric, True on the diagonal. The blocks contain every
    missing pair exactly once, and possibly some known pairs.
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
    identities: Sequence[int],
    most: int,
    sizes: Mapping[int, int] | None = None,
    share: float = 1,
) -> Iterator[tuple[int, ...]]:
    """Divide trees into parts of at most `most` trees and `share * BLOCK_NODES` nodes.

    A part with a single tree may have more nodes. `sizes` gives the number of nodes by tree ID;
    without it, only the number of trees counts.
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
