"""What can go wrong when two trees are compared."""

from collections.abc import Iterable
from typing import Final

TOO_LARGE: Final = -1
"""In place of the distance of two trees that are too large to compare."""

LEFT: Final = -3
"""In place of a distance that was not begun with, as the work was used up before."""


class TreeTooLargeError(ValueError):
    """The trees are too large to compare within the limits of time and memory.

    Parameters
    ----------
    message
        What was too large.
    trees
        Places of the trees to leave out, among those given; without them, the
        others can be compared.
    """

    def __init__(self, message: str, trees: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.trees = tuple(trees)
