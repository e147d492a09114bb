"""Groups of elements that look alike, each of which may be the comments of a page.

The subtrees that CommentsMiner mines miss the comments of every second page: comments differ
inside, while their outermost elements bear the same names or stand in the same place.
"""

from dataclasses import dataclass

from worker.comments.elements import PageElements
from worker.comments.signatures import PathNames, Signature, signatures_of

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
    groups: dict[Signature, list[int]] = {}
    paths: list[str] = []
    made = PathNames()
    room = MAX_MEMBERS
    for index, (element, tag, parent) in enumerate(
        zip(page.elements, page.tags, page.parents, strict=True)
    ):
        path = made.below(paths[parent] if parent >= 0 else "", tag)
        paths.append(path)
        if tag in _NO_RECORD or page.text_starts[index] == page.text_ends[index] or room <= 0:
            continue
        for signature in signatures_of(element, path):
            groups.setdefault(signature, []).append(index)
            room -= 1
    characters = page.counts[:, 0].tolist()
    found: dict[tuple[int, ...], Candidate] = {}
    for signature, group in groups.items():
        if len(group) < MIN_RECORDS:
            continue
        members, levels = _widened(page, tuple(group))
        if members not in found and sum(characters[index] for index in members) >= MIN_CHARACTERS:
            found[members] = Candidate(signature, levels, members)
    return list(found.values())


def _widened(page: PageElements, members: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Replace elements by those around them while each still holds one."""
    levels = 0
    while levels < MAX_LEVELS:
        around = {page.parents[index] for index in members}
        if len(around) < len(members) or -1 in around:
            break
        members, levels = tuple(sorted(around)), levels + 1
    return members, levels
