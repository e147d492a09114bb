"""Groups of elements that look alike, each of which may be the comments of a page.

The subtrees that CommentsMiner mines miss the comments of every second page: comments differ
inside, while their outermost elements bear the same names or stand in the same place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from worker.comments.elements import PageElements
from worker.comments.signatures import Signature, paths_of, signatures_of
from worker.pages.flat import Integers

MIN_RECORDS = 2
"""Records of which a page says by itself that they are alike."""

MIN_CHARACTERS = 30
"""Characters that the records of a page hold together; the fewest of 121 pages are 196."""

MAX_LEVELS = 8
"""Levels between the element that bears a signature and the outermost one of its record."""

MAX_MEMBERS = 400_000
"""Members of all candidates of a page: a bound on the work for a page made to take long.

The most in the corpora are 31,000.
"""

_NO_RECORD = frozenset({"html", "body", "b", "i", "em", "strong", "br", "img", "time", "input"})


@dataclass(frozen=True)
class Candidate:
    """Elements that share a signature.

    Attributes
    ----------
    signature
        What an element in each of them has that no other one has; of several the first.
    levels
        How many levels above that element they stand.
    members
        Their indices in the page's elements, rising.
    """

    signature: Signature
    levels: int
    members: tuple[int, ...]


def find_candidates(page: PageElements) -> list[Candidate]:
    """Return the groups of two elements and more that share a signature and hold text.

    Each element is replaced by the one around it while that holds no other of the group: names
    and dates often stand beside the element of a comment's text. No two groups have the same
    elements then. They are in the order of their first signature in the page.
    """
    groups = _groups(page)
    shared = [(signature, group) for signature, group in groups.items() if len(group) > 1]
    if not shared:
        return []
    members, owners, levels = _widened(page, [group for _, group in shared])
    firsts = np.searchsorted(owners, np.arange(len(shared) + 1))
    characters = np.add.reduceat(page.counts[members, 0], firsts[:-1])
    found: dict[bytes, Candidate] = {}
    for number in np.flatnonzero(characters >= MIN_CHARACTERS).tolist():
        own = members[firsts[number] : firsts[number + 1]]
        key = own.tobytes()
        if key not in found:
            found[key] = Candidate(
                Signature(*shared[number][0]), int(levels[number]), tuple(own.tolist())
            )
    return list(found.values())


def _groups(page: PageElements) -> dict[tuple[str, str, str], list[int]]:
    """Return the elements of each signature, in the order of their first ones."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    # Elements alike in all that signatures are made of belong to the same groups.
    known: dict[tuple[str, int, str], list[list[int]]] = {}
    paths = paths_of(page)
    holds = (page.text_ends > page.text_starts) & ~page.having(_NO_RECORD)
    names = page.name_numbers.tolist()
    properties, types = page.attribute("itemprop"), page.attribute("itemtype")
    room = MAX_MEMBERS
    for index in np.flatnonzero(holds).tolist():
        alike = (paths[index], names[index], properties[index] or types[index])
        of_element = known.get(alike)
        if of_element is None:
            path, name, kind = alike
            classes, identity = page.distinct_names[name]
            signatures = signatures_of(page.tags[index], path, classes, identity, kind)
            of_element = [groups.setdefault(signature, []) for signature in signatures]
            known[alike] = of_element
        for group in of_element:
            group.append(index)
        room -= len(of_element)
        if room <= 0:
            break
    return groups


def _widened(
    page: PageElements, groups: Sequence[Sequence[int]]
) -> tuple[Integers, Integers, Integers]:
    """Replace the elements of groups by those around them while each still holds one.

    Returns
    -------
    members, owners : array
        The elements of all groups, rising in each, and the number of the group of each.
    levels : array
        For each group how many levels it rose.
    """
    sizes = [*map(len, groups)]
    members = np.fromiter(chain.from_iterable(groups), np.int64, sum(sizes))
    owners = np.repeat(np.arange(len(groups)), sizes)
    levels = np.zeros(len(groups), dtype=np.int64)
    rises = np.ones(len(groups), dtype=np.bool_)
    step = len(page)
    for _ in range(MAX_LEVELS):
        rises[owners[page.parents[members] < 0]] = False
        places = np.flatnonzero(rises[owners])
        around = page.parents[members[places]]
        # Groups keep their order, so that what is sorted is sorted in each.
        keys = np.sort(owners[places] * step + around)
        rises[keys[1:][keys[1:] == keys[:-1]] // step] = False
        places = places[rises[owners[places]]]
        if not len(places):
            break
        keys = keys[rises[keys // step]]
        members[places] = keys % step
        levels[rises] += 1
    return members, owners, levels
