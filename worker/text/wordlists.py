"""Lists of words, written as text."""


def listed(text: str) -> frozenset[str]:
    """Return the words of a text, each once."""
    return frozenset(text.split())
