"""Search for candidates: groups of similar elements that may be a page's comments.

CommentsMiner mines repeated subtrees, but misses the comments on half of the pages: the contents of
comments differ, and only their outermost elements share names or positions.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from detourage.comments.signatures import Signature, looks_of
from detourage.html.flat import FlatDocument, Integers

MIN_WORDS = 10  # words by readers on a page that is searched for candidates
MIN_SHARE = 0.2  # share of the page's words by readers that a candidate contains
MAX_CANDIDATES = 100  # candidates per page, which bounds the work on malicious pages
MAX_LEVELS = 8  # levels from the element with the signature up to its record's root

_NEVER_RECORDS = frozenset({"html", "body", "b", "i", "em", "strong", "br", "img", "time", "input"})

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class PageWords:
    """A page, the number of words of each text, and the number expected to be by readers."""

    page: FlatDocument
    words: Integers
    by_readers: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidate:
    """Similar elements, each `levels` above the only element inside it that has the `signature`."""

    signature: Signature
    levels: int
    places: Integers


def find_candidates(found: PageWords) -> list[Candidate]:
    """Return the groups of two or more elements that share a signature and have readers' words.

    Each element is widened to its parents as long as these contain no other member, because names
    and dates are often outside the element that holds a comment's text.
    """
    page = found.page
    before = np.concatenate([[0.0], np.cumsum(found.by_readers)])
    if before[-1] < MIN_WORDS:
        return []
    holders = np.flatnonzero((page.text_ends > page.text_starts) & ~page.having(_NEVER_RECORDS))
    looks, signatures = looks_of(page, holders)
    alike = np.split(holders[np.argsort(looks, kind="stable")], np.cumsum(np.bincount(looks))[:-1])
    words_below = before[page.text_ends[holders]] - before[page.text_starts[holders]]
    words_by_look = np.bincount(looks, weights=words_below).tolist()
    looks_with: defaultdict[Signature, list[int]] = defaultdict(list)
    for look, look_signatures in enumerate(signatures):
        for signature in look_signatures:
            looks_with[signature].append(look)
    groups: dict[tuple[int, ...], Signature] = {}
    for signature, having in looks_with.items():
        if sum(map(words_by_look.__getitem__, having)) >= MIN_SHARE * before[-1]:
            groups.setdefault(tuple(having), signature)
    candidates: dict[bytes, Candidate] = {}
    for numbers, signature in groups.items():
        members = np.sort(np.concatenate([alike[number] for number in numbers]))
        if len(members) > 1 and len(candidates) < MAX_CANDIDATES:
            places, levels = _widen(page, members)
            candidates.setdefault(places.tobytes(), Candidate(signature, levels, places))
    return [*candidates.values()]


def _widen(page: FlatDocument, members: Integers) -> tuple[Integers, int]:
    """Replace members by their parents while each parent has only one; also count the levels."""
    for level in range(MAX_LEVELS):
        around = np.sort(page.parents[members])
        if around[0] < 0 or (around[1:] == around[:-1]).any():
            return members, level
        members = around
    return members, MAX_LEVELS


def nesting_of(starts: Integers, ends: Integers) -> tuple[Integers, Integers]:
    """Return the innermost enclosing range of each ordered, nested range (or -1), and its depth."""
    # All previous ranges have started by now.
    depth = np.arange(len(starts)) - np.searchsorted(np.sort(ends), starts, side="right")
    around = np.full(len(starts), -1, dtype=np.int64)
    for level in range(1, int(depth.max(initial=0)) + 1):
        inner = np.flatnonzero(depth == level)
        outer = np.flatnonzero(depth == level - 1)
        around[inner] = outer[np.searchsorted(outer, inner) - 1]
    return around, depth


def own_counts(page: FlatDocument, counts: Numbers, places: Integers) -> Numbers:
    """Return the counts of each record (one per row), without those of the records inside it."""
    around, depth = nesting_of(places, page.ends[places])
    totals = counts[places]
    if not depth.any():
        return totals
    own, inside = totals.copy(), np.flatnonzero(depth)
    np.subtract.at(own, around[inside], totals[inside])
    return own
