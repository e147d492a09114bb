"""Text at the level of words: clean strings, tokens, sentences, and their comparison."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

# Scripts written without spaces between words: one character is one token there, else a
# Chinese article would weigh less than its page's English footer.
UNSPACED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3"
)
# Vowel signs that Python's \w leaves out; without them a Hindi word falls into pieces.
SIGNS = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
SIGNS += "\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d\u0a81-\u0a83\u0abc-\u0acd"
SIGNS += "\u0b01-\u0b03\u0b3c-\u0b4d\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c4d\u0cbc-\u0ccd"
SIGNS += "\u0d00-\u0d03\u0d3b-\u0d4d\u200c\u200d"

# Where none of them stands, and none does in most scripts, less has to be looked at. Said by what
# else there is: the engine goes through all characters of a class when it compiles it.
_UNSPACED_OR_SIGN = re.compile("[^\x00-\u02ff\u0370-\u058f\u2000-\u200b\u200e-\u2e7f]")
_SPACED_TOKEN = re.compile(r"\w+")
_ASCII_TOKEN = re.compile("[a-z0-9_]+")

ILLEGAL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff"
# Soft hyphens, spaces without width; controls that turn the direction of what follows them.
INVISIBLE = "\u00ad\u200b\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_ILLEGAL = re.compile(f"[{ILLEGAL}]")
_INVISIBLE = re.compile(f"[{INVISIBLE}]")

# The marks that end a sentence in Latin, Greek (where ; asks a question), Arabic, Urdu, Ethiopic
# and Armenian writing. Words are parted by spaces there, so a mark counts before a space, a
# closing quote or the end: not in "3.5", "U.S" or "a.m".
MARKS = ".!?\u2026;\u061b\u061f\u06d4\u0589\u1362\u1367\u1368"
WEAK_MARKS = ";\u061b"
CLOSING = "\"'\u00bb\u201d\u2019)]"
_SPACED_END = re.compile(
    rf"[{MARKS}](?<![{MARKS}][{MARKS}])[{MARKS}]*+(?=[\s{re.escape(CLOSING)}]|$)"
)
# Those of Chinese and Japanese, Devanagari, Burmese and Khmer writing.
UNSPACED_MARKS = "\u3002\uff01\uff1f\uff0e\uff61\u0964\u0965\u104a\u104b\u17d4\u17d5"
_UNSPACED_END = re.compile(f"[{UNSPACED_MARKS}]+")
GREEK = "\u0370-\u03ff\u1f00-\u1fff"
_GREEK = re.compile(f"[{GREEK}]")


@cache
def _class(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}]")


def holds_any(text: str, characters: str) -> bool:
    """Say whether a text holds a character of some scripts.

    A pattern does the same, but is compiled only where it may find something: the engine goes
    through all the characters of its ranges.

    Parameters
    ----------
    text
        The text.
    characters
        As in the class of a pattern, none below the first.
    """
    if text.isascii() or max(text) < characters[0]:
        return False
    return _class(characters).search(text) is not None


def clean(text: str) -> str:
    """Return the text on one line: white space collapsed, no control or invisible character."""
    shown = " ".join(text.split())
    if shown.isprintable():
        return shown
    return " ".join(visible(text).split())


def visible(text: str) -> str:
    """Return the text without control and invisible characters, white space as it is."""
    return text if text.isprintable() else _INVISIBLE.sub("", _ILLEGAL.sub(" ", text))


def clean_verbatim(text: str) -> str:
    """Return the text with its lines and indentation kept, blank lines left out."""
    lines = _INVISIBLE.sub("", _ILLEGAL.sub("", text)).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip())


def tokens(text: str) -> list[str]:
    """Split a text into tokens, in order.

    A token is a run of letters and digits between spaces and punctuation (Deturck 2015,
    section 4.4.1), in lower case; a single character in scripts that part no words
    (Chinese, Japanese, Thai, Lao, Burmese, Khmer).
    """
    text = text.lower()
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    return (_token() if _UNSPACED_OR_SIGN.search(text) else _SPACED_TOKEN).findall(text)


@cache
def _token() -> re.Pattern[str]:
    # Possessive, as the engine keeps a hundred bytes for each character that it might give back.
    return re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}](?:[^\W{UNSPACED}]|[{SIGNS}])*+")


def has_invisible(text: str) -> bool:
    """Say whether `clean` takes a character out of the middle of words."""
    return not text.isascii() and any(character in text for character in INVISIBLE)


def count_unspaced(text: str) -> int:
    """Count characters of scripts that part no words."""
    return len(_class(UNSPACED).findall(text)) if _UNSPACED_OR_SIGN.search(text) else 0


def count_characters(text: str) -> int:
    """Count characters, one for two in scripts whose characters are syllables or words."""
    return len(text) + count_unspaced(text)


def cosine(a: Iterable[str], b: Iterable[str]) -> float:
    """Cosine of the angle between two vectors of word counts (Deturck 2015, section 4.4.2).

    Returns
    -------
    float
        0 for no word in common (or an empty side), exactly 1 for the same counts.
    """
    counts_a, counts_b = Counter(a), Counter(b)
    if counts_a == counts_b:
        return 1.0 if counts_a else 0.0
    dot = sum(count * counts_b[word] for word, count in counts_a.items())
    square_a = sum(count * count for count in counts_a.values())
    square_b = sum(count * count for count in counts_b.values())
    return dot / math.sqrt(square_a * square_b) if dot else 0.0


def count_sentences(text: str) -> int:
    """Count the sentence ends of a text, in any of the scripts that news is written in.

    A stretch without any mark (a heading, a menu item) counts 0. The semicolon ends a
    sentence in Greek only.
    """
    if text.isascii():
        ends = Counter(_SPACED_END.findall(text))
        return sum(count for end, count in ends.items() if end.strip(";"))
    number = len(_UNSPACED_END.findall(text))
    is_greek = _GREEK.search(text) is not None
    for end, count in Counter(_SPACED_END.findall(text)).items():
        if is_greek or end.strip(WEAK_MARKS):
            number += count
    return number
