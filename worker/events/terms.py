"""Terms of an article: the words in its title, lead and text, with their frequencies."""

import re
from collections import Counter
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from detourage.text.words import UNSPACED, tokens

MAX_CHARACTERS: Final = 2_000
"""Maximum number of characters read from a text; news reports begin with what happened (measured,
as are the other constants of this package, in ``benchmarks/stories/events.py``)."""

MAX_TERMS: Final = 160
"""Maximum number of terms of an article, the most frequent ones."""

TITLE_WEIGHT: Final = 3
"""Number of occurrences in the text to which one occurrence in the title is equivalent."""

Terms = npt.NDArray[np.void]
"""Distinct terms in ascending order, each with its number of occurrences (`TERM`)."""

TERM: Final = np.dtype([("term", "<u4"), ("count", "u1")])
"""A term is a 32-bit digest of a word."""

_UNSPACED = re.compile(f"[{UNSPACED}]")


def terms_of(title: str | None, lead: str | None, text: str) -> Terms:
    """Return the terms of an article."""
    heading = (title or "")[:MAX_CHARACTERS]
    body = text[:MAX_CHARACTERS]
    if lead and not body.startswith(lead[:MAX_CHARACTERS]):
        body = f"{lead[:MAX_CHARACTERS]}\n{body}"
    counts: Counter[int] = Counter()
    for word in words_of(body):
        counts[_digest(word)] += 1
    for word in words_of(heading):
        counts[_digest(word)] += TITLE_WEIGHT
    # Ties are broken by the digest, so that the result is the same on every machine.
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_TERMS]
    found = np.array([(term, min(n, 255)) for term, n in most], dtype=TERM)
    return np.sort(found, order="term")


def primary_language(tag: str | None) -> str:
    """Return the language of a BCP 47 tag without script and region, or ``und`` if unknown."""
    return tag.split("-")[0].lower() if tag else "und"


def words_of(text: str) -> list[str]:
    """Return the words of a text; in scripts without spaces, pairs of adjacent characters."""
    found = tokens(text)
    if not _UNSPACED.search(text):
        return found
    words = []
    for word, following in zip(found, [*found[1:], ""], strict=True):
        if not _UNSPACED.match(word):
            words.append(word)
        elif _UNSPACED.match(following):
            words.append(word + following)
    return words


def _digest(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))
