"""Word lists written as text."""


def listed(text: str) -> frozenset[str]:
    """Return the distinct words of a text."""
    return frozenset(text.split())
