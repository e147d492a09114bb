"""Errors and sentinel values for comparisons that were not completed."""

from collections.abc import Iterable
from typing import Final

TOO_LARGE: Final = -1
"""Sentinel for the distance between two trees that are too large to compare."""

LEFT: Final = -3
"""Sentinel for a distance that was not computed because the work limit was reached."""


class TreeTooLargeError(ValueError):
    """The trees are too large to compare within the limits of time and memory.

    `trees` has the indices of the trees to leave out so that the remaining ones can be compared.
    """

    def __init__(self, message: str, trees: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.trees = tuple(trees)
