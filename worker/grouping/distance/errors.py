"""Failures of the comparison of two trees."""

from collections.abc import Iterable
from typing import Final

TOO_LARGE: Final = -1
"""Value instead of the distance of two trees that are too large to compare."""

LEFT: Final = -3
"""Value instead of a distance that was not started because the work was used up."""


class TreeTooLargeError(ValueError):
    """The trees are too large to compare within the limits of time and memory.

    Parameters
    ----------
    message
        Description of what was too large.
    trees
        Places of the trees to leave out, so that the others can be compared.
    """

    def __init__(self, message: str, trees: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.trees = tuple(trees)
