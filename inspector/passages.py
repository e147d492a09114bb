"""Passages of texts that contain search terms."""

import re
from collections.abc import Sequence
from typing import Final

CHARACTERS_BEFORE: Final = 80
"""Maximum number of characters of a passage before the term."""

MAX_CHARACTERS: Final = 240
"""Maximum length of a passage in characters, unless the term is longer."""

MAX_PASSAGES: Final = 3
"""Maximum number of passages per text."""


def passages_of(text: str, words: Sequence[str]) -> list[str]:
    """Return a passage for each search term that no earlier passage contains, in text order."""
    matches = [(match.start(), word) for word in words if (match := _find(word, text))]
    passages: list[str] = []
    for start, word in sorted(matches):
        if len(passages) == MAX_PASSAGES:
            break
        if not any(_find(word, passage) for passage in passages):
            passages.append(_passage(text, start, len(word)))
    return passages


def _find(word: str, text: str) -> re.Match[str] | None:
    """Find a term as a whole word or, failing that, within a word, as the search does."""
    pattern = re.escape(word)
    whole_word = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
    return whole_word or re.search(pattern, text, re.IGNORECASE)


def _passage(text: str, term_start: int, term_length: int) -> str:
    """Cut a passage around a term, at spaces, and mark the cuts with an ellipsis."""
    term_end = term_start + term_length
    start = max(term_start - CHARACTERS_BEFORE, 0)
    end = min(start + MAX_CHARACTERS, len(text))
    if start:
        space = text.find(" ", start, term_start)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", term_end, end)
        end = space if space >= 0 else max(end, term_end)
    passage = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{passage}{'…' if end < len(text) else ''}"
