"""The pairs of a site cut into pieces of work."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

BLOCK_SIDE = 32
"""Trees on each side of a block: some 1,000 pairs, about a second for pages of 1,000 nodes,
and enough of them that what they share is compared once."""


@dataclass(frozen=True)
class Block:
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
    compared: Sequence[int], arrived: Sequence[int], *, side: int = BLOCK_SIDE
) -> Iterator[Block]:
    """Cut the comparisons that are missing into blocks.

    Parameters
    ----------
    compared
        Identities of trees all of whose distances to each other are known.
    arrived
        Identities of trees to compare with each other and with those; what is in
        `compared` already is left out.
    side
        Most trees on a side of a block.

    Yields
    ------
    Block
        Blocks that have every missing pair once. They depend on the sets of
        identities alone, not on their order, so that work which was interrupted is
        cut in the same way again.
    """
    old = sorted(set(compared))
    new = _parts(sorted(set(arrived).difference(old)), side)
    for place, rows in enumerate(new):
        for columns in (*_parts(old, side), *new[: place + 1]):
            if len(rows) > 1 or rows != columns:
                yield Block(rows, columns)


def _parts(identities: list[int], side: int) -> list[tuple[int, ...]]:
    return [tuple(identities[i : i + side]) for i in range(0, len(identities), side)]
