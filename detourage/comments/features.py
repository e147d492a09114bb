"""Features of candidates. Each record counts without the records nested in it."""

import re
from collections.abc import Sequence

import numpy as np

from detourage.comments.candidates import Candidate, PageWords, own_counts
from detourage.inference import Features
from detourage.text.caches import cached_if_short
from detourage.text.patterns import lazy_pattern

MAX_DATE_TEXT = 80  # length, in characters, of a text searched for a date; longer ones are prose
MIN_WORDS = 5  # words of a record that is more than a name or a button
_DIGIT = re.compile(r"\d")
_DATE = lazy_pattern(  # A date or time in digits, a year, or an age such as "3 h"
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}"
    r"|\d{4}[./-]\d{1,2}[./-]\d{1,2}"
    r"|\b\d{1,2}\s?[:h]\s?\d{2}\b"
    r"|\b(?:19|20)\d{2}\b"
    r"|\d[年月日]"
    r"|\b\d+\s?(?:[smhdwy]|sec|min|hr|std|tag|jahr|jour|heure|second|minute|hour|day|week|month"
    r"|year|sekunde|stunde|woche|monat|semaine|mois|hora|minuto|día|dia|semana|mes|año)",
    re.IGNORECASE,
)


def measure(page_words: PageWords, candidates: Sequence[Candidate]) -> Features:
    """Compute the features of the candidates (at least one), with one row per candidate."""
    page = page_words.page
    dated = np.fromiter(map(_has_date, page.texts), np.bool_, len(page.texts))
    before = np.zeros((len(dated) + 1, 3))
    np.cumsum([page_words.words, page_words.by_readers, dated], axis=1, out=before[1:].T)
    # The records of all candidates, one candidate after the other
    places = np.concatenate([candidate.record_indices for candidate in candidates])
    sizes = np.array([len(candidate.record_indices) for candidate in candidates])
    owners = np.repeat(np.arange(len(sizes)), sizes)
    first, end = page.text_starts[places], page.text_ends[places]
    apart = owners * (len(page.ends) + 1)  # separates the records of different candidates
    words, by_readers, dates = own_counts(
        places + apart, page.ends[places] + apart, before[end] - before[first]
    ).T
    first_texts = [page.texts[text].strip() for text in first.tolist()]
    last_texts = [page.texts[text].strip() for text in (end - 1).tolist()]
    records = [*zip(first_texts, last_texts, words.tolist(), strict=True)]
    ends = np.cumsum(sizes)
    ranges = [slice(*each) for each in zip((ends - sizes).tolist(), ends.tolist(), strict=True)]
    total_words = np.maximum(np.bincount(owners, words), 1)
    return Features.of(
        {
            "share of readers": np.bincount(owners, by_readers) / max(before[-1, 1], 1e-9),
            "dated records": np.bincount(owners, dates > 0) / sizes,
            "records with one date": np.bincount(owners, dates == 1) / sizes,
            "records with some words": np.bincount(owners, words >= MIN_WORDS) / sizes,
            "share of the largest": np.maximum.reduceat(words, ends - sizes) / total_words,
            "different records": [len({*records[each]}) for each in ranges] / sizes,
            "different first texts": [len({*first_texts[each]}) for each in ranges] / sizes,
            "levels": [candidate.levels for candidate in candidates],
            "named": [candidate.signature.name != "" for candidate in candidates],
        }.items()
    )


@cached_if_short(4096)
def _has_date(text: str) -> bool:
    """Return whether a text contains a date and little else."""
    text = text.strip()
    return len(text) <= MAX_DATE_TEXT and bool(_DIGIT.search(text) and _DATE.search(text))
