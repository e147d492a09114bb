"""Evidence from the text of a line."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from worker.article.evidence.view import Booleans, EvidenceSource, View
from worker.inference import NamedColumn
from worker.text.characters import Trait
from worker.text.texts import Count

_DATE = re.compile(r"(?:19|20)\d\d|\d{1,2}[:.]\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def _of_line(view: View) -> Iterator[NamedColumn]:
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
    yield "has_parter", view.count(Count.PARTERS) > 0


def _of_wording(view: View) -> Iterator[NamedColumn]:
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
    """Return which texts contain any of the strings; optimised for few matches."""
    joined = "\n".join(texts)
    holding = np.zeros(len(texts), dtype=np.bool_)
    for each in wanted:
        if each in joined:
            holding |= [each in text for text in texts]
    return holding


LINE = EvidenceSource("the line itself", _of_line)
WORDING = EvidenceSource("wording", _of_wording)
