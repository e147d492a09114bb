"""The pairs of a site cut into pieces of work."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

BLOCK_SIDE = 32
"""Trees on each side of a block, or as many pairs in a longer one: some 1,000, which take
0.1 to 2 s for pages of 300 to 800 nodes. Blocks of 64 save 3 to 10 % of that, the whole
site as one block no more, for what pages share is remembered within a block already."""

BLOCK_NODES = 50_000
"""Nodes of all trees on a side, unless it is a single tree, so that pages of an extraordinary
size do not have to be unpacked all at once."""


@dataclass(frozen=True)
class PairBlock:
    """Trees to compare with others, or among each other.

    Parameters
    ----------
    rows, columns
        Identities of trees, ascending; the same ones twice, or disjoint ones.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Give the pairs of the block, each once, the smaller identity first."""
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
    """Cut the comparisons that are missing into blocks.

    Parameters
    ----------
    compared
        Identities of trees all of whose distances to each other are known.
    arrived
        Identities of trees to compare with each other and with those; what is in
        `compared` already is left out.
    side
        Most rows of a block, which has at most the square of it as pairs.
    sizes
        Numbers of nodes by identity, where blocks are to be smaller for large trees.

    Yields
    ------
    PairBlock
        Blocks that have every missing pair once. They depend on the sets of
        identities alone, not on their order, so that work which was interrupted is
        cut in the same way again.
    """
    old = sorted(set(compared))
    new = list(parts(sorted(set(arrived).difference(old)), side, sizes))
    for place, rows in enumerate(new):
        # Few rows have many columns: a page that comes alone is one block, not a dozen.
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
    """Cut the unknown distances of a matrix into blocks.

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
        Blocks that have every missing pair once, and known ones only beside these.
    """
    complete = np.zeros(len(identities), np.bool_)
    # The trees that the fewest distances are missing of first, for those can stand together.
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
    """Cut trees into parts of a limited number and a limited size.

    Parameters
    ----------
    identities
        Identities of the trees.
    most
        Most trees in a part.
    sizes
        Numbers of nodes by identity; without them only the number of trees counts.
    share
        How many times `BLOCK_NODES` a part may have, unless it is a single tree.
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
