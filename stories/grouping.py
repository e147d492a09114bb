"""Grouping of texts into stories.

The first text of a story, in the order in which the service received them, leads it. A later text
joins the story of one leader that it repeats itself, and no text ever connects two others. What
arrives later therefore never changes the stories of earlier texts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stories.overlap import Overlap

APART: Final = 0.1
"""Maximum share of a text that an unrelated text may contain (measured in
``benchmarks/stories/repeats.py``)."""

NEAR: Final = 0.7
"""Minimum share in common, relative to the longer text, of two versions of one text. Any two
versions of a text therefore share at least 28 % of their length with each other."""


LEAST: Final = 0.25
"""Minimum share of a text that a shorter leader must contain, because a leader may be nothing but
the standing text of a site (measured in ``benchmarks/stories/repeats.py``)."""


@dataclass(frozen=True)
class StoryText:
    """A text to be grouped, with its number of shingles and the first site that had it.

    The key, a digest that is the same on every machine, breaks ties.
    """

    key: bytes
    length: int
    site: str
    received_at: datetime


def group_texts(
    texts: Mapping[int, StoryText], common: Callable[[int, int], int]
) -> dict[int, list[int]]:
    """Group texts into stories, independently of their order in `texts`.

    Return the IDs of the texts of each story by that of its leader, the leader first. `common`
    returns the number of shingles that two texts share.

    A text joins the leader of which it is a version or, failing that, the one with which it shares
    most. If it is no version of it, and neither is an earlier text of that story from the same
    site, which it does not repeat, the three share only standing text, and it does not join.
    """
    groups: dict[int, list[int]] = {}

    def overlap(one: int, other: int) -> Overlap:
        return Overlap(common(one, other), texts[one].length, texts[other].length)

    def is_repeat(one: int, other: int) -> bool:
        on_one_site = texts[one].site == texts[other].site
        return overlap(one, other).is_repeat(on_one_site=on_one_site)

    def is_version(one: int, other: int) -> bool:
        return common(one, other) >= NEAR * max(texts[one].length, texts[other].length)

    def is_standing(text: int, leader: int) -> bool:
        """Return whether all that a text shares with a leader is standing text of its site."""
        return not is_version(text, leader) and any(
            texts[other].site == texts[text].site
            and not is_version(other, leader)
            and not is_repeat(text, other)
            for other in groups[leader][1:]
        )

    def place(text: int) -> int:
        """Return the leader of a text, all earlier texts being grouped."""
        least = LEAST * texts[text].length
        joined = [
            leader
            for leader in groups
            if is_repeat(text, leader)
            and (texts[leader].length >= texts[text].length or common(text, leader) >= least)
        ]
        # The leaders are in order, and the sort is stable.
        joined.sort(key=lambda each: (not is_version(text, each), -common(text, each)))
        return next((each for each in joined if not is_standing(text, each)), text)

    for text in sorted(texts, key=lambda each: (texts[each].received_at, texts[each].key)):
        groups.setdefault(place(text), []).append(text)
    return groups
