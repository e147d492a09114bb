"""Excerpts of texts that contain search terms."""

import re
from collections.abc import Sequence
from typing import Final

CHARACTERS_BEFORE: Final = 80
"""Maximum number of characters in an excerpt before the term."""

MAX_CHARACTERS: Final = 240
"""Maximum length of an excerpt in characters, unless the term is longer."""

MAX_EXCERPTS: Final = 3
"""Maximum number of excerpts per text."""


def excerpts_of(text: str, words: Sequence[str]) -> list[str]:
    """Return an excerpt for each search term that no earlier excerpt contains, in text order."""
    matches = [(match.start(), word) for word in words if (match := _find(word, text))]
    excerpts: list[str] = []
    for start, word in sorted(matches):
        if len(excerpts) == MAX_EXCERPTS:
            break
        if not any(_find(word, excerpt) for excerpt in excerpts):
            excerpts.append(_excerpt(text, start, len(word)))
    return excerpts


def _find(word: str, text: str) -> re.Match[str] | None:
    """Find a term as a whole word or, failing that, within a word, as the search does."""
    pattern = re.escape(word)
    whole_word = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
    return whole_word or re.search(pattern, text, re.IGNORECASE)


def _excerpt(text: str, term_start: int, term_length: int) -> str:
    """Cut an excerpt around a term, at spaces, and mark the cuts with an ellipsis."""
    term_end = term_start + term_length
    start = max(term_start - CHARACTERS_BEFORE, 0)
    end = min(start + MAX_CHARACTERS, len(text))
    if start:
        space = text.find(" ", start, term_start)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", term_end, end)
        end = space if space >= 0 else max(end, term_end)
    excerpt = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{excerpt}{'…' if end < len(text) else ''}"
