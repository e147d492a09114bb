"""Formatting of counts, ages and long texts in user-facing messages."""


def pluralise(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural: ``1 page``, ``2 pages``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def short_age(seconds: float) -> str:
    """Return an age in its largest unit, such as ``3 h``."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds:.0f} s"


def shorten(text: str, length: int) -> str:
    """Shorten a text to at most the given length, with an ellipsis at the end if it was longer."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
