"""Evidence from the text of a line: words and punctuation typical of a role."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from worker.article.roles.view import MAX_MATCHED, View
from worker.article.roles.vocabulary import SAID, UNSPACED
from worker.inference import NamedColumn
from worker.text.calendars import is_weekday, month_named

MAX_SAID = 40
"""Maximum length, in tokens, of a line in which single words indicate its role."""

OPENING = ("byline", "picture", "related", "offer", "note", "tags")
"""Groups of words that are more informative at the start of a line."""

_GROUPS = (*SAID, "months", "weekdays", "numbers")
_MONTH, _WEEKDAY, _NUMBER = (1 << _GROUPS.index(name) for name in ("months", "weekdays", "numbers"))
_BITS = {
    word: sum(1 << place for place, group in enumerate(SAID.values()) if word in group)
    for words in SAID.values()
    for word in words
}


@lru_cache(maxsize=16384)
def _groups_of(token: str) -> int:
    """Return the groups to which a word belongs, as bits."""
    bits = _BITS.get(token, 0)
    if token.isdigit():
        bits |= _NUMBER
    elif len(token) > 2:
        bits |= _MONTH * (month_named(token) is not None) | _WEEKDAY * is_weekday(token)
    return bits


def of_words(view: View) -> Iterator[NamedColumn]:
    """Count the words of each group."""
    rows: list[int] = []
    found: list[int] = []
    first = np.zeros(len(view.lines), dtype=np.int64)
    for row, line in enumerate(view.lines):
        if len(line.tokens) <= MAX_SAID:
            bits = [*map(_groups_of, line.tokens)]
            first[row] = bits[0]
            rows += [row] * len(bits)
            found += bits
    groups = np.array(found, dtype=np.int64)
    sizes = np.array([len(line.tokens) for line in view.lines])
    at = np.array(rows, dtype=np.int64)
    counts = {
        name: np.bincount(at[groups >> place & 1 > 0], minlength=len(sizes))
        for place, name in enumerate(_GROUPS)
    }
    for name, count in counts.items():
        yield f"says_{name}", count
        if name in SAID:
            yield f"says_{name}_share", count / sizes
    dated = counts["months"] + counts["weekdays"] + counts["numbers"]
    yield "date_share", dated / sizes
    for name in OPENING:
        yield f"begins_{name}", first >> _GROUPS.index(name) & 1


def of_marks(view: View) -> Iterator[NamedColumn]:
    """Describe the punctuation that a line contains, starts with and ends with."""
    texts = [line.text for line in view.lines]
    for name, pattern in UNSPACED:
        yield (
            name,
            [
                not text.isascii() and pattern.search(text[:MAX_MATCHED]) is not None
                for text in texts
            ],
        )
    yield "all_capitals", [text.isupper() for text in texts]
    yield "is_quoted", [text[0] in "\"“„«‚‘'「『" and text[-1] in "\"”“»’'」』." for text in texts]
    yield "has_arrow", [text[-1] in ">»›→…" or text[0] in "<«‹←>" for text in texts]
    yield "starts_item", [text[0] in "-–—•*·●▪◦✓✔" for text in texts]
    starts = [text[:MAX_MATCHED] for text in texts]
    yield "programs", [sum(map(text.count, ("{", "}", ";", "=", "()"))) for text in starts]
    yield "bars", [sum(map(text.count, "|·•/")) for text in starts]
