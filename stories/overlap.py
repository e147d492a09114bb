"""Overlap of two texts, and the relation derived from their overlap."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stories.fingerprint import Shingles
from stories.messages import StoryRelation

MIN_REPEAT_SHARES: Final = (0.3, 0.2)
"""Minimum shares of shingles in common, relative to the shorter and to the longer text, for one
text to repeat the other (measured in ``benchmarks/stories/repeats.py``)."""

MIN_QUOTE_SHARES: Final = (0.6, 0.05)
"""The same two shares for a short text that a much longer one quotes."""

MIN_SITE_REPEAT_SHARE: Final = 0.8
"""Minimum share in common, relative to the shorter text, for a repeat within one site, whose texts
share boilerplate."""

MIN_SAME_RESEMBLANCE: Final = 0.9
"""Minimum resemblance of two texts that count as the same."""

MIN_WHOLE_SHARE: Final = 0.8
"""Minimum share of a text's shingles in another text for the other text to contain all of it."""


@dataclass(frozen=True)
class Overlap:
    """Numbers of shingles: those that two texts share, and those of each text (own and other)."""

    common: int
    own: int
    other: int

    def is_repeat(self, *, on_one_site: bool) -> bool:
        """Return whether one text repeats the other."""
        shorter, longer = sorted((max(1, self.own), max(1, self.other)))
        shorter_share, longer_share = self.common / shorter, self.common / longer
        if on_one_site and shorter_share < MIN_SITE_REPEAT_SHARE:
            return False
        return any(
            shorter_share >= min_shorter and longer_share >= min_longer
            for min_shorter, min_longer in (MIN_REPEAT_SHARES, MIN_QUOTE_SHARES)
        )

    @property
    def resemblance(self) -> float:
        """Jaccard coefficient of the shingles (Broder 1997)."""
        return self.common / max(1, self.own + self.other - self.common)

    @property
    def relation(self) -> StoryRelation:
        """Relation of the own text to the other text."""
        if self.resemblance >= MIN_SAME_RESEMBLANCE:
            return "same"
        own_share, other_share = self.common / max(1, self.own), self.common / max(1, self.other)
        if own_share >= MIN_WHOLE_SHARE and own_share > other_share:
            return "excerpt"
        if other_share >= MIN_WHOLE_SHARE:
            return "contains"
        return "update"


def overlap_of(own: Shingles, other: Shingles) -> Overlap:
    """Return the overlap of two texts."""
    # Binary searches in sorted numbers are faster than NumPy's intersect1d, which sorts again.
    positions = np.searchsorted(other, own)
    is_inside = positions < len(other)
    common = np.count_nonzero(other[positions[is_inside]] == own[is_inside])
    return Overlap(int(common), len(own), len(other))
