"""Features of candidates. Each record counts without the records nested in it."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from detourage.comments.candidates import Candidate, PageWords, own_counts
from detourage.html.flat import number_distinct
from detourage.inference import Features
from detourage.text.caches import cached_if_short

MAX_DATE_TEXT = 80  # length, in characters, of a text searched for a date; longer ones are prose
MIN_WORDS = 5  # words of a record that is more than a name or a button
_DATE = re.compile(  # A date or time in digits, a year, or an age such as "3 h"
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
    distinct, numbers = number_distinct([*map(str.strip, page.texts)])
    has_date = np.array([*map(_has_date, distinct)])[numbers]
    per_text = np.column_stack([page_words.words, page_words.by_readers, has_date])
    before = np.zeros((len(numbers) + 1, 3))
    np.cumsum(per_text, axis=0, out=before[1:])
    counts = before[page.text_ends] - before[page.text_starts]
    rows: list[Mapping[str, float]] = []
    for candidate in candidates:
        places = candidate.record_indices
        words, by_readers, dates = own_counts(page, counts, places).T
        first = numbers[page.text_starts[places]].tolist()
        last = numbers[page.text_ends[places] - 1].tolist()
        distinct_records = {*zip(first, last, words.tolist(), strict=True)}
        rows.append(
            {
                "share of readers": by_readers.sum() / max(before[-1, 1], 1e-9),
                "dated records": (dates > 0).mean(),
                "records with one date": (dates == 1).mean(),
                "records with some words": (words >= MIN_WORDS).mean(),
                "share of the largest": words.max() / max(words.sum(), 1),
                "different records": len(distinct_records) / len(places),
                "different first texts": len({*first}) / len(places),
                "levels": candidate.levels,
                "named": candidate.signature.name != "",
            }
        )
    return Features.of((name, [row[name] for row in rows]) for name in rows[0])


@cached_if_short(4096)
def _has_date(text: str) -> bool:
    return len(text) <= MAX_DATE_TEXT and _DATE.search(text) is not None
