"""Stories: texts that repeat each other, without the digests that would join several."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from scipy.cluster.hierarchy import DisjointSet

from worker.duplicates.overlap import Overlap

APART: Final = 0.1
"""Share of what two texts have in common below which a third text has nothing of it.

From .05 to .15 the stories of generated variants hardly change (``benchmarks/stories/repeats.py``).
"""

WITNESS: Final = 0.8
"""Share of what two parts have in common with a text that another text must have of each.

From .5 to .8 generated stories are the same; without witnesses their adjusted Rand index is .013
lower.
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
    sites: frozenset[int]


Common = Mapping[tuple[int, int], int]
"""Shingles that two texts have in common, by their ids, the smaller first."""


def group_texts(
    texts: Mapping[int, StoryText], common: Common, grouped: Collection[int]
) -> list[set[int]]:
    """Group texts by what they repeat, whatever their order.

    Two texts are of one story if one repeats the other, or if others stand between them that do.
    A digest repeats articles that have nothing in common: it belongs to the story of which it has
    the most, and joins no other to that. So a repeat does not count where one of the two texts
    has more in common with a third that has nothing of what the two have in common, unless a text
    of another site has both parts, too: as the beginning and the end of one article.

    No site leads from one story of others to another: a text that only texts of its own site
    repeat joins, with these, the story of which they have the most.

    Parameters
    ----------
    texts
        The texts by their ids, with all that those to be grouped have something in common with.
    common
        Of every two of them that may repeat each other; pairs with further texts do not count.
    grouped
        Ids of the texts to be grouped.

    Returns
    -------
    list of set of int
        The ids of each group, groups by their smallest.
    """
    repeats = _Repeats(texts, common)
    groups = DisjointSet(grouped)
    on_one_site = []
    for one, other in common:
        if one in groups and other in groups and repeats.is_of_story(one, other):
            if is_on_one_site(texts[one], texts[other]):
                on_one_site.append((one, other))
            else:
                groups.merge(one, other)
    shared = {
        each
        for group in groups.subsets()
        if len(frozenset().union(*(texts[each].sites for each in group))) > 1
        for each in group
    }
    joining = []
    for one, other in on_one_site:
        if one not in shared and other not in shared:
            groups.merge(one, other)
        elif one not in shared or other not in shared:
            joining.append((one, other))
    own = {each: groups[each] for each in grouped if each not in shared}
    joined = set()

    def nearest_first(pair: tuple[int, int]) -> tuple[int, list[bytes]]:
        return -common[pair], sorted(texts[each].key for each in pair)

    for one, other in sorted(joining, key=nearest_first):
        group = own[one if one in own else other]
        if group not in joined:
            joined.add(group)
            groups.merge(one, other)
    return sorted(groups.subsets(), key=min)


def is_on_one_site(one: StoryText, other: StoryText) -> bool:
    """Say whether one site alone has two texts."""
    return len(one.sites | other.sites) == 1


class _Repeats:
    """Which texts repeat each other, by how many shingles."""

    def __init__(self, texts: Mapping[int, StoryText], common: Common) -> None:
        self._texts = texts
        self._common = common
        self._repeated: dict[int, dict[int, int]] = {each: {} for each in texts}
        for (one, other), number in common.items():
            if (
                one in texts
                and other in texts
                and self._is_repeat(texts[one], texts[other], number)
            ):
                self._repeated[one][other] = self._repeated[other][one] = number

    @staticmethod
    def _is_repeat(one: StoryText, other: StoryText, common: int) -> bool:
        overlap = Overlap(common, one.length, other.length)
        return overlap.is_repeat(on_one_site=is_on_one_site(one, other))

    def is_of_story(self, one: int, other: int) -> bool:
        """Say whether two texts are of one story because one repeats the other."""
        return other in self._repeated[one] and not (
            self._is_digest(one, other) or self._is_digest(other, one)
        )

    def _is_digest(self, text: int, part: int) -> bool:
        """Say whether a text is a digest that has more of another story than a part of it."""
        number = self._repeated[text][part]
        # What has more of the text, and nothing of the part, must have room beside it.
        room = self._texts[text].length - (1 - APART) * number
        if room < number:
            return False
        measure = (number, self._texts[part].key)
        return any(
            in_common <= room
            and (in_common, self._texts[third].key) > measure
            and self._are_apart(part, third, number)
            and not self._has_witness(text, part, third)
            for third, in_common in self._repeated[text].items()
            if third != part
        )

    def _are_apart(self, part: int, third: int, number: int) -> bool:
        return self._common.get((min(part, third), max(part, third)), 0) < APART * number

    def _has_witness(self, text: int, part: int, third: int) -> bool:
        """Say whether yet another text, of another site, has what a text has of two others."""
        of_part = WITNESS * self._repeated[text][part]
        of_third = WITNESS * self._repeated[text][third]
        return any(
            number >= of_part and self._repeated[third].get(witness, 0) >= of_third
            for witness, number in self._repeated[part].items()
            if witness != text and not is_on_one_site(self._texts[text], self._texts[witness])
        )
