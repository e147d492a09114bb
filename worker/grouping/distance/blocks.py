"""Partition of a site's pairs of trees into blocks of bounded work."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

BLOCK_SIDE = 32
"""Maximum number of trees on each side of a block, or as many pairs in a longer one: some 1,000,
which take 0.1 to 2 s for pages of 300 to 800 nodes. Blocks of 64 save 3 to 10 % of that, and a
single block for the whole site no more than that, as a block already shares common subtrees."""

BLOCK_NODES = 50_000
"""Maximum number of nodes of all trees on a side, unless it is a single tree, so that huge pages
are not all unpacked at once."""


@dataclass(frozen=True)
class PairBlock:
    """Trees to compare with others, or with each other.

    Parameters
    ----------
    rows, columns
        Identities of trees, ascending; either equal or disjoint.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of the block, each once, the smaller identity first."""
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

    Parameters
    ----------
    compared
        Identities of trees whose mutual distances are all known.
    arrived
        Identities of trees to compare with each other and with those; trees in
        `compared` are skipped.
    side
        Maximum number of rows of a block; its square is the maximum number of pairs.
    sizes
        Numbers of nodes by identity, to make blocks of large trees smaller.

    Yields
    ------
    PairBlock
        Blocks that have every missing pair once. They depend only on the sets of
        identities, not on their order, so that interrupted work is divided in the same
        way again.
    """
    old = sorted(set(compared))
    new = list(parts(sorted(set(arrived).difference(old)), side, sizes))
    for place, rows in enumerate(new):
        # Few rows get many columns: a single new page is one block, not a dozen.
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
    """Divide the unknown distances of a matrix into blocks.

    Parameters
    ----------
    identities
        Identities of the trees, ascending.
    is_known
        Whether each distance is known, shape (n, n), symmetric, True on the diagonal.
    side, sizes
        As for `blocks_to_compare`.

    Returns
    -------
    list of PairBlock
        Blocks that have every missing pair once; a block may also have known pairs.
    """
    complete = np.zeros(len(identities), np.bool_)
    # Trees with the fewest missing distances first: they make up the largest complete set.
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

    A single tree may be larger. Without `sizes`, the numbers of nodes by identity, only the number
    of trees counts.
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
