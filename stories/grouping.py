"""Grouping of texts into stories.

The leader of a story is the text that the service received first. A later text joins a story only
if it repeats the leader; it is not enough that both repeat a third text. Therefore, later texts
never change the stories of earlier texts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stories.overlap import Overlap

MAX_UNRELATED_SHARE: Final = 0.1
"""Maximum share of a text that an unrelated text may contain (measured in
``benchmarks/stories/repeats.py``)."""

MIN_VERSION_SHARE: Final = 0.7
"""Minimum share of the longer of two texts that both must contain to be versions of each other. Any
two versions of a third text therefore share at least 28 % of their length."""

MIN_LEADER_SHARE: Final = 0.25
"""Minimum share of a text that a shorter leader must contain, because a leader may consist
only of a site's boilerplate (measured in ``benchmarks/stories/repeats.py``)."""


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

    Return the IDs of the texts of each story, beginning with its leader, by the leader's ID.
    `common` returns the number of shingles that two texts share.

    A text joins the leader of which it is a version or, failing that, the leader with which it
    shares the most shingles. It does not join a leader with which it seems to share only
    boilerplate (see `shares_boilerplate`).
    """
    groups: dict[int, list[int]] = {}

    def overlap(one: int, other: int) -> Overlap:
        return Overlap(common(one, other), texts[one].length, texts[other].length)

    def is_repeat(one: int, other: int) -> bool:
        on_one_site = texts[one].site == texts[other].site
        return overlap(one, other).is_repeat(on_one_site=on_one_site)

    def is_version(one: int, other: int) -> bool:
        return common(one, other) >= MIN_VERSION_SHARE * max(texts[one].length, texts[other].length)

    def shares_boilerplate(text: int, leader: int) -> bool:
        """Return whether a text and a leader seem to share only boilerplate of the text's site.

        This is assumed if neither the text nor another text of the story from the same site is a
        version of the leader, and these two texts do not repeat each other.
        """
        return not is_version(text, leader) and any(
            texts[other].site == texts[text].site
            and not is_version(other, leader)
            and not is_repeat(text, other)
            for other in groups[leader][1:]
        )

    def leader_of(text: int) -> int:
        """Return the leader that a text joins, or the text itself; group earlier texts first."""
        min_common = MIN_LEADER_SHARE * texts[text].length
        candidates = [
            leader
            for leader in groups
            if is_repeat(text, leader)
            and (texts[leader].length >= texts[text].length or common(text, leader) >= min_common)
        ]
        # In a tie, the earliest leader comes first, because the sort is stable.
        candidates.sort(key=lambda each: (not is_version(text, each), -common(text, each)))
        return next((each for each in candidates if not shares_boilerplate(text, each)), text)

    for text in sorted(texts, key=lambda each: (texts[each].received_at, texts[each].key)):
        groups.setdefault(leader_of(text), []).append(text)
    return groups
