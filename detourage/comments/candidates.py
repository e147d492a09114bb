"""Search for candidates: groups of similar elements that may be a page's comments.

CommentsMiner mines repeated subtrees, but misses the comments on half of the pages: the contents of
comments differ, and only their outermost elements share names or positions.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from detourage.comments.signatures import Signature, group_by_look
from detourage.html.flat import FlatDocument, Integers

MIN_SHARE = 0.2  # share of the page's words by readers that a candidate contains
MAX_CANDIDATES = 100  # candidates per page, which bounds the work on malicious pages
MAX_LEVELS = 8  # levels from the element with the signature up to the element with its record
_NEVER_RECORDS = frozenset({"html", "body", "b", "i", "em", "strong", "br", "img", "time", "input"})
Numbers = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class PageWords:
    """A page, and for each of its texts the number of words, and of words probably by readers."""

    page: FlatDocument
    words: Integers
    by_readers: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidate:
    """Similar elements, which may be a page's comments.

    Each contains exactly one element with the `signature`, `levels` levels below. `record_indices`
    are the indices of the similar elements.
    """

    signature: Signature
    levels: int
    record_indices: Integers


def find_candidates(page_words: PageWords) -> list[Candidate]:
    """Return the groups of two or more elements that share a signature and have readers' words.

    Each element is replaced by its ancestor that contains no other member, because names and dates
    are often outside the element that holds a comment's text.
    """
    page = page_words.page
    words_before = np.concatenate([[0.0], np.cumsum(page_words.by_readers)])
    elements = np.flatnonzero((page.text_ends > page.text_starts) & ~page.having(_NEVER_RECORDS))
    looks, by_signature = group_by_look(page, elements)
    words = words_before[page.text_ends[elements]] - words_before[page.text_starts[elements]]
    words_of_looks = np.bincount(looks, weights=words).tolist()
    groups: dict[tuple[int, ...], tuple[str, ...]] = {}
    for signature, group in by_signature.items():
        if sum(map(words_of_looks.__getitem__, group)) >= MIN_SHARE * words_before[-1]:
            groups.setdefault(tuple(group), signature)
    candidates: dict[bytes, Candidate] = {}
    for group_looks, signature in groups.items():
        is_in_group = np.zeros(len(words_of_looks), dtype=np.bool_)
        is_in_group[[*group_looks]] = True
        members = elements[is_in_group[looks]]
        if len(members) > 1 and len(candidates) < MAX_CANDIDATES:
            places, levels = _widen(page, members)
            candidate = Candidate(Signature(*signature), levels, places)
            candidates.setdefault(places.tobytes(), candidate)
    return [*candidates.values()]


def _widen(page: FlatDocument, members: Integers) -> tuple[Integers, int]:
    """Replace members by their parents as long as these differ; return also the levels climbed."""
    for level in range(MAX_LEVELS):
        parents = np.sort(page.parents[members])
        if parents[0] < 0 or (parents[1:] == parents[:-1]).any():
            return members, level
        members = parents
    return members, MAX_LEVELS


def find_nesting(starts: Integers, ends: Integers) -> tuple[Integers, Integers]:
    """Return, for each of several ranges, the innermost range around it (or -1) and its depth.

    The ranges are ordered by their starts, and are nested or disjoint.
    """
    # The depth is the number of previous ranges that have not ended yet.
    depths = np.arange(len(starts)) - np.searchsorted(np.sort(ends), starts, side="right")
    enclosing = np.full(len(starts), -1, dtype=np.int64)
    for depth in range(1, int(depths.max(initial=0)) + 1):
        inner = np.flatnonzero(depths == depth)
        outer = np.flatnonzero(depths == depth - 1)
        enclosing[inner] = outer[np.searchsorted(outer, inner) - 1]
    return enclosing, depths


def own_counts(starts: Integers, ends: Integers, totals: Numbers) -> Numbers:
    """Return the counts of several ranges, without those of the ranges inside them.

    The ranges are as for `find_nesting`; `totals` has a row per range.
    """
    enclosing, depths = find_nesting(starts, ends)
    if not depths.any():
        return totals
    own, nested = totals.copy(), np.flatnonzero(depths)
    np.subtract.at(own, enclosing[nested], totals[nested])
    return own
