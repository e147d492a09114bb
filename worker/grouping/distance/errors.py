"""What can go wrong when two trees are compared."""

from collections.abc import Iterable


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
