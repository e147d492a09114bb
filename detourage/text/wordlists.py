"""Word lists written as strings."""


def listed(text: str) -> frozenset[str]:
    """Return the set of words in a string."""
    return frozenset(text.split())
