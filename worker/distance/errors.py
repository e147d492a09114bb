"""What can go wrong when two trees are compared."""


class TreeTooLargeError(ValueError):
    """The trees are too large to compare within the limits of time and memory."""
