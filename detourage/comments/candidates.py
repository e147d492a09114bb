"""Search for candidates: groups of similar elements that may be a page's comments.

CommentsMiner mines repeated subtrees, but misses the comments on half of the pages: the contents of
comments differ, and only their outermost elements share names or positions.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain, count

import numpy as np

from detourage.comments.elements import PageElements
from detourage.comments.signatures import Signature, names_of, paths_of
from detourage.html.flat import Integers, numbered

MIN_CHARACTERS = 30
"""Minimum total number of characters in a candidate's records."""

MAX_LEVELS = 8
"""Maximum number of levels from the element with the signature up to its record's root."""

MAX_MEMBERS = 400_000
"""Maximum total number of members of all candidates, to bound the work on malicious pages."""

_NO_RECORD = frozenset({"html", "body", "b", "i", "em", "strong", "br", "img", "time", "input"})


@dataclass(frozen=True, eq=False)
class Candidate:
    """Elements that share a signature.

    `signature` is the first signature that occurs exactly once in each member and nowhere else.
    `levels` is the number of levels from the element that carries it up to the member. `places`
    are the indices of the members among the page's elements, in ascending order.
    """

    signature: Signature
    levels: int
    places: Integers

    @property
    def members(self) -> tuple[int, ...]:
        """Indices of the members."""
        return tuple(self.places.tolist())


def find_candidates(page: PageElements) -> list[Candidate]:
    """Return the groups of at least two elements that share a signature and contain text.

    Each element is replaced by its parent as long as the parent contains no other member of the
    group, because names and dates are often outside the element that holds a comment's text. Groups
    that consist of the same elements afterwards are merged. The groups are ordered by the first
    occurrence of their signatures on the page.
    """
    signatures, members, owners = _groups(page)
    if not len(members):
        return []
    levels = _widen(page, members, owners).tolist()
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))
    characters = np.add.reduceat(page.counts[members, 0], firsts)
    bounds = [*firsts.tolist(), len(members)]
    groups = owners[firsts].tolist()
    found: dict[bytes, Candidate] = {}
    for place in np.flatnonzero(characters >= MIN_CHARACTERS).tolist():
        own = members[bounds[place] : bounds[place + 1]]
        key = own.tobytes()
        if key not in found:
            group = groups[place]
            signature = Signature(*signatures[group])
            found[key] = Candidate(signature, levels[group], own)
    return list(found.values())


def _groups(page: PageElements) -> tuple[list[tuple[str, str, str]], Integers, Integers]:
    """Group the elements that share a signature.

    Return three values: all signatures, in order of first occurrence; the members of all groups of
    two or more, in ascending order within each group; and each member's signature number.
    """
    holders = np.flatnonzero((page.text_ends > page.text_starts) & ~page.having(_NO_RECORD))
    kind_at = {
        place: kind
        for name in ("itemtype", "itemprop")
        for place, kind in page.having_attribute(name)
        if kind
    }
    kinds, numbers_of_kinds = numbered(["", *kind_at.values()])
    kind_of = np.zeros(len(page), dtype=np.int64)
    kind_of[[*kind_at]] = numbers_of_kinds[1:]
    ways, way_of = paths_of(page)
    names, masked_of = numbered(page.masked_names)
    name_of = masked_of[page.name_numbers]
    # Elements whose signatures agree in every part belong to the same groups.
    likeness = (way_of * len(names) + name_of) * len(kinds) + kind_of
    firsts, alike = _distinct(likeness[holders])
    number_of: defaultdict[tuple[str, str, str], int] = defaultdict(count().__next__)
    of_looks: dict[tuple[int, int, int], tuple[list[int], str]] = {}
    groups: list[list[int]] = []
    distinct = holders[firsts]
    columns = way_of, page.tag_numbers, name_of, kind_of
    of_elements = zip(*(column[distinct].tolist() for column in columns), strict=True)
    for way, tag_number, name, kind in of_elements:
        tag, path = page.distinct_tags[tag_number], ways[way]
        look = tag_number, name, kind
        known = of_looks.get(look)
        if known is None:
            classes, identity = names[name]
            shared, own = names_of(classes, identity, kinds[kind])
            known = of_looks[look] = [number_of[tag, each, ""] for each in shared], own
        numbers, own = known
        placed = [number_of[tag, own, path]] if own else []
        groups.append([*numbers, *placed, number_of[tag, "", path]])
    sizes = np.array([*map(len, groups)], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    counts = sizes[alike]
    counts = counts[np.cumsum(counts) - counts < MAX_MEMBERS]
    members = np.repeat(holders[: len(counts)], counts)
    places = np.arange(len(members)) + np.repeat(
        starts[alike[: len(counts)]] - np.cumsum(counts) + counts, counts
    )
    owners = np.fromiter(chain.from_iterable(groups), np.int64, sizes.sum())[places]
    is_shared = np.bincount(owners)[owners] > 1
    members, owners = members[is_shared], owners[is_shared]
    order = np.argsort(owners, kind="stable")
    return [*number_of], members[order], owners[order]


def _distinct(values: Integers) -> tuple[Integers, Integers]:
    """Return the first position of each distinct value, and each value's index among them."""
    _, firsts, numbers = np.unique(values, return_index=True, return_inverse=True)
    ranks = np.argsort(np.argsort(firsts))
    return np.sort(firsts), ranks[numbers]


def _widen(page: PageElements, members: Integers, owners: Integers) -> Integers:
    """Replace members in place by their parents, as long as each parent contains just one member.

    Returns, by group number, the number of levels by which the group was raised.
    """
    levels = np.zeros(int(owners[-1]) + 1, dtype=np.int64)
    places = np.arange(len(members))
    # Indices are shifted by one: 0 is above the root.
    step = len(page) + 1
    for _ in range(MAX_LEVELS):
        groups = owners[places]
        around = page.parents[members[places]] + 1
        # Groups keep their order, so a single sort orders the members within each group.
        keys = np.sort(groups * step + around)
        stays = np.zeros(len(levels), dtype=np.bool_)
        stays[groups[around == 0]] = True
        stays[groups[1:][keys[1:] == keys[:-1]]] = True
        rises = ~stays[groups]
        places = places[rises]
        if not len(places):
            break
        members[places] = keys[rises] % step - 1
        levels[groups[rises]] += 1
    return levels
