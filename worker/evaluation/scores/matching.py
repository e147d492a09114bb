"""Ratcliff-Obershelp matching: what two sequences share, in the same order."""

from collections.abc import Hashable, Sequence
from difflib import Match

import numpy as np
import numpy.typing as npt

from worker.evaluation.scores import fallback

try:
    from worker.evaluation.scores import _matching
except ImportError:
    IMPLEMENTATION = "python"
else:
    IMPLEMENTATION = "native"


def matching_blocks(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Match]:
    """Find the blocks that two sequences have in common.

    Parameters
    ----------
    a, b
        The sequences, of hashable symbols: words, or the characters of a string.

    Returns
    -------
    list of difflib.Match
        Triples (place in `a`, place in `b`, size) in increasing order, none touching the
        next on both sides, and at last ``(len(a), len(b), 0)``: exactly what
        ``difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()``
        returns, in a time that long texts allow.

    Raises
    ------
    OverflowError
        If a sequence has more than 16,777,216 symbols.

    Notes
    -----
    J. W. Ratcliff and D. E. Metzener, "Pattern matching: the gestalt approach",
    Dr. Dobb's Journal 13(7), 1988, the matching of Lejeune et al. (2015), section 4.1.
    """
    return [*_merged(_triples(a, b)), Match(len(a), len(b), 0)]


def matched_total(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Count the symbols in the blocks that two sequences have in common.

    The sum of the sizes of `matching_blocks`, without making the list.
    """
    return sum(size for _, _, size in _triples(a, b))


def _triples(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int, int]]:
    codes_a, codes_b = _codes(a, b)
    if IMPLEMENTATION == "native":
        blocks = np.frombuffer(_matching.matching_blocks(codes_a, codes_b), dtype=np.int32)
        return [(i, j, size) for i, j, size in blocks.reshape(-1, 3).tolist()]
    return fallback.matching_blocks(codes_a.tolist(), codes_b.tolist())


def _codes(
    a: Sequence[Hashable], b: Sequence[Hashable]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Give the symbols of two sequences numbers: equal symbols, equal numbers."""
    if isinstance(a, str) and isinstance(b, str):
        points = np.frombuffer((a + b).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        codes = np.unique(points, return_inverse=True)[1].astype(np.int32)
        return codes[: len(a)], codes[len(a) :]
    code_of: dict[Hashable, int] = {}
    return (
        np.array([code_of.setdefault(symbol, len(code_of)) for symbol in a], dtype=np.int32),
        np.array([code_of.setdefault(symbol, len(code_of)) for symbol in b], dtype=np.int32),
    )


def _merged(triples: list[tuple[int, int, int]]) -> list[Match]:
    blocks: list[Match] = []
    for i, j, size in triples:
        if blocks and blocks[-1].a + blocks[-1].size == i and blocks[-1].b + blocks[-1].size == j:
            blocks[-1] = blocks[-1]._replace(size=blocks[-1].size + size)
        else:
            blocks.append(Match(i, j, size))
    return blocks
