"""Clean, tokenise and compare texts."""

import math
import re
from collections import Counter
from collections.abc import Iterable

from detourage.text import _texts
from detourage.text.lazy_patterns import lazy_pattern

# Scripts written without spaces. Each character is a token; otherwise, a Chinese article would have
# fewer tokens than the English footer of its page.
UNSPACED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3"
)
# Vowel signs, which Python's \w does not match; Hindi words would be split at them.
SIGNS = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
SIGNS += "\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d\u0a81-\u0a83\u0abc-\u0acd"
SIGNS += "\u0b01-\u0b03\u0b3c-\u0b4d\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c4d\u0cbc-\u0ccd"
SIGNS += "\u0d00-\u0d03\u0d3b-\u0d4d\u200c\u200d"
# If none of these characters occurs, as in most scripts, a faster pattern is sufficient.
_UNSPACED_OR_SIGNS = "\u0300-\u036f\u0590-\u1fff\u200c\u200d\u2e80-\U0010ffff"
_UNSPACED = lazy_pattern(f"[{UNSPACED}]")
_SPACED_TOKEN = re.compile(r"\w+")
# Possessive, because backtracking would take a hundred bytes of memory per character.
_ANY_TOKEN = lazy_pattern(rf"[{UNSPACED}]|[^\W{UNSPACED}](?:[^\W{UNSPACED}]|[{SIGNS}])*+")
_ASCII_TOKEN = re.compile("[a-z0-9_]+")
# Control characters, surrogates and non-characters; then soft hyphens, zero-width spaces and
# bidirectional controls.
ILLEGAL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff"
INVISIBLE = "\u00ad\u200b\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_ILLEGAL = lazy_pattern(f"[{ILLEGAL}]")
_INVISIBLE = lazy_pattern(f"[{INVISIBLE}]")
# Sentence-final punctuation in the Latin, Greek (where ; is a question mark), Arabic (also Urdu),
# Ethiopic and Armenian scripts, which separate words by spaces. A mark counts only before a space,
# a closing quotation mark or the end, but not in "3.5", "U.S" or "a.m".
MARKS = ".!?\u2026;\u061b\u061f\u06d4\u0589\u1362\u1367\u1368"
WEAK_MARKS = ";\u061b"
CLOSING = "\"'\u00bb\u201d\u2019)]"
# Sentence-final punctuation in the Chinese, Japanese, Devanagari, Burmese and Khmer scripts.
UNSPACED_MARKS = "\u3002\uff01\uff1f\uff0e\uff61\u0964\u0965\u104a\u104b\u17d4\u17d5"
GREEK = "\u0370-\u03ff\u1f00-\u1fff"


def contains_any(text: str, characters: str) -> bool:
    """Return whether a text contains any of the characters of a regex class, none of them ASCII.

    Compiling the class would take longer, because compilation enumerates its characters.
    """
    return not text.isascii() and _texts.contains(text, characters)


def clean(text: str) -> str:
    """Return a text on one line, with whitespace collapsed and invisible characters removed."""
    shown = " ".join(text.split())
    if shown.isprintable():
        return shown
    return " ".join(visible(text).split())


def visible(text: str) -> str:
    """Return a text with control characters replaced by spaces, and without invisible ones."""
    return text if text.isprintable() else _INVISIBLE.sub("", _ILLEGAL.sub(" ", text))


def tokens(text: str) -> list[str]:
    """Split a text into tokens, in order.

    A token is a run of letters and digits between spaces and punctuation, in lower case (Deturck
    2015, section 4.4.1). In scripts without spaces (Chinese, Japanese, Thai, Lao, Burmese, Khmer),
    it is a single character.
    """
    text = text.lower()
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    return (_ANY_TOKEN if contains_any(text, _UNSPACED_OR_SIGNS) else _SPACED_TOKEN).findall(text)


def squash(text: str) -> str:
    """Return the joined tokens of a text, to compare names (``"Le-Monde"`` with ``"le monde"``)."""
    return "".join(tokens(text))


def count_unspaced(text: str) -> int:
    """Count the characters of scripts without spaces."""
    return len(_UNSPACED.findall(text)) if contains_any(text, _UNSPACED_OR_SIGNS) else 0


def cosine(a: Iterable[str], b: Iterable[str]) -> float:
    """Return the cosine similarity of two bags of words (Deturck 2015, section 4.4.2)."""
    counts_a, counts_b = Counter(a), Counter(b)
    if counts_a == counts_b:
        return 1.0 if counts_a else 0.0
    dot = sum(count * counts_b[word] for word, count in counts_a.items())
    square_a = sum(count * count for count in counts_a.values())
    square_b = sum(count * count for count in counts_b.values())
    return dot / math.sqrt(square_a * square_b) if dot else 0.0


def word_set(text: str) -> frozenset[str]:
    """Return the set of words in a string, which are separated by spaces."""
    return frozenset(text.split())
