"""Which texts repeat each other, and what one is to the other."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from models.messages import StoryRelation
from worker.duplicates.fingerprint import Shingles

REPEATED: Final = (0.3, 0.2)
"""Least shares of the shorter text's shingles, and of the longer one's, that both have where one
repeats the other.

Of 75 pairs of articles of two sites in daniel and dragnet that have .08 of the shorter or more in
common, these take all 21 that a reader calls copies of one text, and no other; generated stories
are the same from (.25, .2) to (.35, .25) (``benchmarks/stories/repeats.py``).
"""

QUOTED: Final = (0.6, 0.05)
"""The same where most of the shorter text is in a longer one: an excerpt in a long report."""

REPEATED_ON_SITE: Final = 0.8
"""Least share of the shorter of two texts of one site, which have its standing sentences in common.

In the same corpora three sites have pairs with .31 to .75 that share a side column or a legal
notice; copies of an article begin at .84.
"""

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

    def is_repeat(self, *, on_one_site: bool) -> bool:
        """Say whether one repeats the other."""
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
