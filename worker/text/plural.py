"""Counted nouns, singular or plural, for user-facing text."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which is in the plural (with ``s``) unless the number is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
