"""Passages of texts that contain search terms."""

import re
from collections.abc import Sequence
from typing import Final

CHARACTERS_BEFORE: Final = 80
"""Number of characters before the term in a passage."""

MAX_CHARACTERS: Final = 240
"""Maximum length of a passage."""


def passages_of(text: str, words: Sequence[str]) -> list[str]:
    """Return a passage for each search term that no earlier passage contains, at most three."""
    places = sorted(
        (found.start(), word) for word in words if (found := _find(word, text)) is not None
    )
    passages: list[str] = []
    for place, word in places:
        if len(passages) == 3:
            break
        if not any(_find(word, passage) for passage in passages):
            passages.append(_passage(text, place, len(word)))
    return passages


def _find(word: str, text: str) -> re.Match[str] | None:
    """Find a term as a whole word or, failing that, within a word, as the search does."""
    sought = re.escape(word)
    return re.search(rf"(?<!\w){sought}(?!\w)", text, re.IGNORECASE) or re.search(
        sought, text, re.IGNORECASE
    )


def _passage(text: str, place: int, length: int) -> str:
    """Cut a passage around a term at word boundaries."""
    begin = max(place - CHARACTERS_BEFORE, 0)
    end = min(begin + MAX_CHARACTERS, len(text))
    if begin:
        blank = text.find(" ", begin, place)
        begin = blank + 1 if blank >= 0 else begin
    if end < len(text):
        blank = text.rfind(" ", place + length, end)
        end = blank if blank >= 0 else max(end, place + length)
    cut = " ".join(text[begin:end].split())
    return f"{'…' if begin else ''}{cut}{'…' if end < len(text) else ''}"
