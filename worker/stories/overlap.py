"""Which texts repeat each other, and what one is to the other."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from models.messages import StoryRelation
from worker.stories.fingerprint import Shingles

REPEATED: Final = 0.3
"""Least share of the shorter text's shingles that the longer one has where one repeats the other.

Of 97 pairs of articles of two sites in daniel and dragnet with a share of .08 or more, all from
.3 on tell of one event and all but two have most sentences in common; below, they tell it in words
of their own (``benchmarks/stories/repeats.py``, where .25 and .4 give the same stories).
"""

REPEATED_ON_SITE: Final = 0.8
"""The same of two texts of one site, which have its standing sentences in common.

Of the same corpora, three sites have pairs with .31 to .75 that share a side column or a legal
notice; copies of an article begin at .84.
"""

LEAST_OF_LONGER: Final = 0.1
"""Least share of the longer text: below, one quotes the other."""

SAME: Final = 0.9
"""Resemblance from which on two texts are the same."""

WHOLE: Final = 0.8
"""Share of a text from which on another has it whole."""


@dataclass(frozen=True)
class Overlap:
    """What two texts have in common.

    Attributes
    ----------
    common
        Shingles of both.
    own, other
        Shingles of the one text, and of the other.
    """

    common: int
    own: int
    other: int

    @property
    def is_candidate(self) -> bool:
        """Whether one may repeat the other."""
        shorter, longer = sorted((self.own, self.other))
        return self.common >= REPEATED * shorter and self.common >= LEAST_OF_LONGER * longer

    def is_repeat(self, *, on_one_site: bool) -> bool:
        """Say whether one repeats the other."""
        least = REPEATED_ON_SITE if on_one_site else REPEATED
        return self.is_candidate and self.common >= least * min(self.own, self.other)

    @property
    def resemblance(self) -> float:
        """Shingles of both, of those of either (Broder 1997)."""
        return self.common / max(1, self.own + self.other - self.common)

    @property
    def relation(self) -> StoryRelation:
        """What the one text is to the other."""
        if self.resemblance >= SAME:
            return "same"
        of_own, of_other = self.common / max(1, self.own), self.common / max(1, self.other)
        if of_own >= WHOLE and of_own > of_other:
            return "excerpt"
        if of_other >= WHOLE:
            return "contains"
        return "update"


def overlap_of(own: Shingles, other: Shingles) -> Overlap:
    """Return what two texts have in common."""
    # Both are ascending: as fast as a merge, and without another sort.
    places = np.searchsorted(other, own)
    inside = places < len(other)
    common = np.count_nonzero(other[places[inside]] == own[inside])
    return Overlap(int(common), len(own), len(other))
