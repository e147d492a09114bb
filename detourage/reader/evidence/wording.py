"""Evidence from the text of a line."""

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from detourage.inference import NamedColumn
from detourage.reader.evidence.view import MAX_MATCHED, Booleans, View
from detourage.reader.vocabulary import ROLE_PHRASES, UNSPACED, bits_of_words
from detourage.text.caches import cached_if_short
from detourage.text.calendars import is_weekday, month_named
from detourage.text.texts import Count, Trait

MAX_ROLE_PHRASE = 40
"""Maximum length, in tokens, of a line whose role single words can indicate."""

OPENING = ("byline", "picture", "related", "offer", "note", "tags")
"""Groups of words that are more informative at the start of a line."""

GROUPS = (*ROLE_PHRASES, "months", "weekdays", "numbers")
"""Groups of words that are counted."""

_MONTH, _WEEKDAY, _NUMBER = (1 << GROUPS.index(name) for name in ("months", "weekdays", "numbers"))
_BITS = bits_of_words(ROLE_PHRASES)
_DATE = re.compile(r"(?:19|20)\d\d|\d{1,2}[:.]\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_UNSPACED = re.compile("[\u2e80-\uffef©ⓒ]")
"""Characters of scripts that use no spaces, and the other characters matched by `UNSPACED`."""

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def of_line(view: View) -> Iterator[NamedColumn]:
    """Measure the line's length, links and sentences."""
    counts, lengths = view.counts, view.count(Count.CHARACTERS)
    digits = view.count(Count.DECIMALS)
    yield "words", counts
    yield "link_density", view.linked / counts
    yield "sentences", view.sentences
    yield "sentence_density", view.sentences / counts
    yield "word_length", lengths / counts
    yield "digits", digits / lengths
    yield "capitals", view.count(Count.CAPITALS) / lengths
    yield "ideographs", view.count(Count.IDEOGRAPHS) / counts
    yield "commas", view.count(Count.COMMAS)
    yield "ends_sentence", view.ends_with(Trait.END_MARK)
    yield "ends_in_colon", view.ends_with(Trait.COLON)
    yield "starts_capital", view.starts_with(Trait.UPPER)
    has_date = np.zeros(len(view.lines), dtype=np.bool_)
    for place in np.flatnonzero(digits).tolist():
        has_date[place] = _DATE.search(view.lines[place].text) is not None
    yield "has_date", has_date
    yield "has_quote", view.count(Count.QUOTES) > 0
    yield "has_parter", view.count(Count.SEPARATORS) > 0


def of_wording(view: View) -> Iterator[NamedColumn]:
    """Describe the characters of the line."""
    texts = [line.text for line in view.lines]
    has_digits = view.count(Count.DECIMALS) > 0
    yield "ends_in_ellipsis", [text.endswith(("...", "…", "[…]", "[...]")) for text in texts]
    yield "copyright", (view.count(Count.COPYRIGHTS) > 0) | _holding(texts, "(c)", "(C)")
    yield "address", (view.count(Count.ATS) > 0) | _holding(texts, "http", "www.")
    yield "starts_digit", view.starts_with(Trait.DIGIT)
    yield "starts_mark", view.starts_with(Trait.START_MARK)
    yield "capitalised", view.count(Count.CAPITALISED) / view.count(Count.WORDS)
    years = np.zeros(len(texts), dtype=np.int64)
    for place in np.flatnonzero(has_digits).tolist():
        years[place] = len(_YEAR.findall(texts[place]))
    yield "years", years
    yield "ends_in_question", view.ends_with(Trait.QUESTION_MARK)
    yield "early_colon", [":" in text[:30] for text in texts]


def _holding(texts: Sequence[str], *wanted: str) -> Booleans:
    """Return whether each text contains any of the strings; fast if few texts do."""
    joined = "\n".join(texts)
    holding = np.zeros(len(texts), dtype=np.bool_)
    for each in wanted:
        if each in joined:
            holding |= [each in text for text in texts]
    return holding


@cached_if_short(65_536)
def _groups_of(token: str) -> int:
    """Return the groups to which a word belongs, as a bit mask."""
    bits = _BITS.get(token, 0)
    if token.isdigit():
        bits |= _NUMBER
    elif len(token) > 2:
        bits |= _MONTH * (month_named(token) is not None) | _WEEKDAY * is_weekday(token)
    return bits


def of_role_words(view: View) -> Iterator[NamedColumn]:
    """Count the words of each group in short lines."""
    owners, numbers = view.tokens
    groups = np.array([*map(_groups_of, view.page.said.texts.distinct)], dtype=np.int64)[numbers]
    sizes = view.counts
    groups[sizes[owners] > MAX_ROLE_PHRASE] = 0
    first = groups[np.searchsorted(owners, np.arange(len(sizes)))]
    counts = {
        name: np.bincount(owners[groups >> place & 1 > 0], minlength=len(sizes))
        for place, name in enumerate(GROUPS)
    }
    for name, count in counts.items():
        yield f"says_{name}", count
        if name in ROLE_PHRASES:
            yield f"says_{name}_share", count / sizes
    dated = counts["months"] + counts["weekdays"] + counts["numbers"]
    yield "date_share", dated / sizes
    for name in OPENING:
        yield f"begins_{name}", first >> GROUPS.index(name) & 1


def of_marks(view: View) -> Iterator[NamedColumn]:
    """Describe the punctuation that a line contains, starts with and ends with."""
    texts = [line.text for line in view.lines]
    starts = [text[:MAX_MATCHED] for text in texts]
    is_unspaced = [_UNSPACED.search(text) is not None for text in starts]
    for name, pattern in UNSPACED:
        found = zip(is_unspaced, starts, strict=True)
        yield name, [may and pattern.search(text) is not None for may, text in found]
    yield "all_capitals", [*map(str.isupper, texts)]
    yield "is_quoted", [text[0] in "\"“„«‚‘'「『" and text[-1] in "\"”“»’'」』." for text in texts]
    yield "has_arrow", [text[-1] in ">»›→…" or text[0] in "<«‹←>" for text in texts]
    yield "starts_item", [text[0] in "-–—•*·●▪◦✓✔" for text in texts]
    yield "programs", _counts_of(("{", "}", ";", "=", "()"), starts)
    yield "bars", _counts_of("|·•/", starts)


def _counts_of(marks: Iterable[str], texts: Sequence[str]) -> list[int]:
    """Count the marks in each text."""
    joined = "\n".join(texts)
    present = [mark for mark in marks if mark in joined]
    return [sum(map(text.count, present)) for text in texts]
