"""Where a method found the body, before anything is rendered."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """The body of a page's article, as a method found it.

    Attributes
    ----------
    method
        Name of the method.
    container
        Index in the outline of the element that holds the body.
    dropped
        Indices of elements below the container that are no part of the body.
    muted
        Indices of elements below the container whose text is no part of the body, but whose
        images and embeds are.
    """

    method: str
    container: int
    dropped: frozenset[int] = frozenset()
    muted: frozenset[int] = frozenset()
