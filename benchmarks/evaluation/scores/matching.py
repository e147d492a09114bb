"""Ratcliff-Obershelp matching of the parts that two sequences have in common, in the same order."""

from collections.abc import Hashable, Sequence
from difflib import Match

from cydifflib import SequenceMatcher


def matching_blocks(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Match]:
    """Find the blocks that two sequences have in common, as `difflib` does.

    See J. W. Ratcliff and D. E. Metzener, "Pattern matching: the gestalt approach", Dr. Dobb's
    Journal 13(7), 1988. Lejeune et al. (2015, section 4.1) use this matching.
    """
    return list(SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())


def matched_total(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Count the items in the blocks that two sequences have in common, such as words."""
    return sum(block.size for block in matching_blocks(a, b))
