"""Segmentation of texts into words, the unit of all scores except the character score."""

import unicodedata
from functools import lru_cache
from typing import NamedTuple

import regex

_CJK = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u30fc\uff70\uff9e\uff9f"

# A Chinese, Japanese or Korean character with its combining marks, or a run of other characters up
# to a word boundary. With (?w), \b matches the boundaries of Unicode Standard Annex 29.
_SEGMENTS = regex.compile(
    rf"(?w)[{_CJK}]\p{{M}}*+|\b(?=[\w\p{{N}}])[^{_CJK}]+?(?:\b|(?=[{_CJK}]))", regex.VERSION1
)
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}]")
_INVISIBLE = regex.compile("[\u00ad\u2060\ufeff]")  # soft hyphen, word joiner, byte order mark


class Word(NamedTuple):
    """A word as written and its character offsets in a text."""

    text: str
    start: int
    end: int


def normalised(text: str) -> str:
    """Return a text as readers see it: composed (NFC) and without invisible characters."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFC", text))


def words(text: str) -> list[str]:
    """Split a text into words as written, in order.

    Texts are split at the word boundaries of Unicode Standard Annex 29; segments that contain a
    letter or digit are words. Each Chinese, Japanese or Korean character is a word.
    """
    return list(_cached_words(text))


def words_with_positions(text: str) -> list[Word]:
    """Split a `normalised` text into `words` with their positions."""
    return [
        Word(match[0], *match.span()) for match in _SEGMENTS.finditer(text) if _is_word(match[0])
    ]


# Cached because the scores of a page split the same text and its lines several times.
@lru_cache(maxsize=1024)
def _cached_words(text: str) -> tuple[str, ...]:
    return tuple(filter(_is_word, _SEGMENTS.findall(normalised(text))))


def _is_word(segment: str) -> bool:
    return segment.isalnum() or _WORD_CHARACTER.search(segment) is not None
