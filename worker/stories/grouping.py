"""Stories: texts that repeat each other, without the digests that would join several."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from scipy.cluster.hierarchy import DisjointSet

from worker.stories.overlap import Overlap

APART: Final = 0.1
"""Share of what two texts have in common below which a third text has nothing of it.

From .05 to .15 the stories of generated variants hardly change (``benchmarks/stories/repeats.py``).
"""


@dataclass(frozen=True)
class StoryText:
    """A text as it is grouped.

    Attributes
    ----------
    key
        Digest that orders texts of equal measure, the same on every machine.
    length
        Number of its shingles.
    sites
        The sites that have it.
    """

    key: bytes
    length: int
    sites: frozenset[int] = field(default_factory=frozenset)


Common = Mapping[tuple[int, int], int]
"""Shingles that two texts have in common, by their ids, the smaller first."""


def group_texts(texts: Mapping[int, StoryText], common: Common) -> list[set[int]]:
    """Group texts by what they repeat, whatever their order.

    Two texts are of one story if one repeats the other, or if others stand between them that do.
    A digest repeats articles that have nothing in common: it belongs to the story of which it has
    the most, and joins no other to that. So a repeat does not count where one of the two texts
    has more in common with a third, and that third has nothing of what the two have in common.

    Parameters
    ----------
    texts
        The texts by their ids.
    common
        Of every pair that may repeat each other; pairs with other texts are left aside.

    Returns
    -------
    list of set of int
        The ids of each group, groups by their smallest.
    """
    repeated: dict[int, dict[int, int]] = {each: {} for each in texts}
    for (one, other), number in common.items():
        if one in texts and other in texts and _is_repeat(texts[one], texts[other], number):
            repeated[one][other] = repeated[other][one] = number
    groups = DisjointSet(texts)
    for one, others in repeated.items():
        for other, number in others.items():
            if one < other and not _is_of_digest(one, other, number, texts, repeated, common):
                groups.merge(one, other)
    return sorted(groups.subsets(), key=min)


def _is_repeat(one: StoryText, other: StoryText, common: int) -> bool:
    on_one_site = len(one.sites | other.sites) == 1
    return Overlap(common, one.length, other.length).is_repeat(on_one_site=on_one_site)


def _is_of_digest(
    one: int,
    other: int,
    number: int,
    texts: Mapping[int, StoryText],
    repeated: Mapping[int, Mapping[int, int]],
    common: Common,
) -> bool:
    for digest, part in ((one, other), (other, one)):
        # What has more of the digest, and nothing of the part, must have room beside it.
        room = texts[digest].length - (1 - APART) * number
        if room < number:
            continue
        measure = (number, texts[part].key)
        for third, in_common in repeated[digest].items():
            if (
                third != part
                and in_common <= room
                and (in_common, texts[third].key) > measure
                and common.get((min(part, third), max(part, third)), 0) < APART * number
            ):
                return True
    return False
