"""Overlap of two texts, and the relation derived from their overlap."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stories.fingerprint import Shingles
from stories.messages import StoryRelation

REPEATED: Final = (0.3, 0.2)
"""Minimum shares of shingles in common, relative to the shorter and to the longer text, for one
text to repeat the other (measured in ``benchmarks/stories/repeats.py``)."""

QUOTED: Final = (0.6, 0.05)
"""Minimum shares, as in `REPEATED`, for a short text quoted in a much longer one."""

REPEATED_ON_SITE: Final = 0.8
"""Minimum share in common, relative to the shorter text, for a repeat within one site, whose texts
share boilerplate."""

SAME: Final = 0.9
"""Minimum resemblance of two texts to count as the same."""

WHOLE: Final = 0.8
"""Minimum share of a text's shingles that another text must have to count as containing all of
it."""


@dataclass(frozen=True)
class Overlap:
    """Counts of shingles: shared by two texts, in the first text, and in the second text."""

    common: int
    own: int
    other: int

    def is_repeat(self, *, on_one_site: bool) -> bool:
        """Return whether one text repeats the other."""
        shorter, longer = sorted((max(1, self.own), max(1, self.other)))
        of_shorter, of_longer = self.common / shorter, self.common / longer
        if on_one_site and of_shorter < REPEATED_ON_SITE:
            return False
        return any(
            of_shorter >= least and of_longer >= least_of_longer
            for least, least_of_longer in (REPEATED, QUOTED)
        )

    @property
    def resemblance(self) -> float:
        """Jaccard coefficient of the shingles (Broder 1997)."""
        return self.common / max(1, self.own + self.other - self.common)

    @property
    def relation(self) -> StoryRelation:
        """The relation of the first text to the second."""
        if self.resemblance >= SAME:
            return "same"
        of_own, of_other = self.common / max(1, self.own), self.common / max(1, self.other)
        if of_own >= WHOLE and of_own > of_other:
            return "excerpt"
        if of_other >= WHOLE:
            return "contains"
        return "update"


def overlap_of(own: Shingles, other: Shingles) -> Overlap:
    """Return the overlap of two texts."""
    # Both are sorted, so this is as fast as a merge and needs no further sort.
    places = np.searchsorted(other, own)
    inside = places < len(other)
    common = np.count_nonzero(other[places[inside]] == own[inside])
    return Overlap(int(common), len(own), len(other))
