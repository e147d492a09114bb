"""Counted nouns in text for people."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural with ``s`` unless it is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
