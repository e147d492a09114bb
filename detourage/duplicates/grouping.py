"""Grouping of texts into stories."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from scipy.cluster.hierarchy import DisjointSet

from detourage.duplicates.overlap import Overlap

APART: Final = 0.1
"""Maximum share of the overlap of two texts that an unrelated third text may contain (measured in
``benchmarks/stories/repeats.py``)."""

WITNESS: Final = 0.8
"""Minimum share of each of two overlaps that a witness must contain. The overlaps are those of one
text with two others; the witness, a fourth text, shows that all of them belong to one story
(measured on generated stories)."""


@dataclass(frozen=True)
class StoryText:
    """A text to be grouped, with its number of shingles and the IDs of its sites.

    The key, a digest that is the same on every machine, breaks ties.
    """

    key: bytes
    length: int
    sites: frozenset[int]


Common = Mapping[tuple[int, int], int]
"""Number of shingles shared by each pair of texts, keyed by their IDs in ascending order."""


def group_texts(
    texts: Mapping[int, StoryText], common: Common, grouped: Collection[int]
) -> list[set[int]]:
    """Group texts into stories, independently of their order; a story's texts repeat each other.

    A digest (a news roundup) repeats unrelated articles. It joins the story of the article that it
    repeats the most, and connects this story with no other. A repeat between two texts is
    therefore ignored if one of them shares more with a third text that contains hardly any of
    their overlap. The exception is a witness: if a text of another site contains both overlaps,
    these may be the beginning and the end of one article.

    A site never connects stories of other sites: texts repeated only within their own site form a
    unit, which joins the story of the text with which the unit shares the most.

    `texts` must include every text that shares shingles with the texts to be grouped. Groups are
    ordered by their smallest ID.
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
    """Return whether both texts come from the same single site."""
    return len(one.sites | other.sites) == 1


class _Repeats:
    """Texts that repeat each other, with the number of shingles they share."""

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
        """Return whether two texts belong to one story because one repeats the other."""
        return other in self._repeated[one] and not (
            self._is_digest(one, other) or self._is_digest(other, one)
        )

    def _is_digest(self, text: int, part: int) -> bool:
        """Return whether a text is a digest that contains more of another story than of `part`."""
        number = self._repeated[text][part]
        # A third text that shares more, but is unrelated to the part, must fit into the remainder.
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
        """Return whether another site's text has what `text` shares with `part` and `third`."""
        of_part = WITNESS * self._repeated[text][part]
        of_third = WITNESS * self._repeated[text][third]
        return any(
            number >= of_part and self._repeated[third].get(witness, 0) >= of_third
            for witness, number in self._repeated[part].items()
            if witness != text and not is_on_one_site(self._texts[text], self._texts[witness])
        )
