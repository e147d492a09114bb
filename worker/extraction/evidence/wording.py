"""Evidence from the text of a line alone."""

import re
from collections.abc import Iterator

import numpy as np

from worker.extraction.evidence.characters import Trait
from worker.extraction.evidence.view import EvidenceSource, Floats, View
from worker.learning import NamedColumn

_DATE = re.compile(r"(?:19|20)\d\d|\d{1,2}[:.]\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FIRST_IDEOGRAPH = "\u2e80"


def _of_line(view: View) -> Iterator[NamedColumn]:
    characters, counts = view.characters, view.counts
    lengths = characters.lengths
    digits = characters.decimals
    yield "words", counts
    yield "link_density", view.linked / counts
    yield "sentences", view.sentences
    yield "sentence_density", view.sentences / counts
    yield "word_length", lengths / counts
    yield "digits", digits / lengths
    yield "capitals", characters.count(Trait.UPPER) / lengths
    yield "ideographs", _ideographs(view) / counts
    yield "commas", characters.count(Trait.COMMA)
    yield "ends_sentence", characters.ends_with(Trait.END_MARK)
    yield "ends_in_colon", characters.ends_with(Trait.COLON)
    yield "starts_capital", characters.starts_with(Trait.UPPER)
    has_date = [
        has_digits and _DATE.search(line.text) is not None
        for line, has_digits in zip(view.lines, (digits > 0).tolist(), strict=True)
    ]
    yield "has_date", has_date
    yield "has_quote", characters.count(Trait.QUOTE) > 0
    yield "has_parter", characters.count(Trait.PARTER) > 0


def _ideographs(view: View) -> Floats:
    found = np.zeros(len(view.lines))
    for place in np.flatnonzero(view.characters.has_ideographs).tolist():
        tokens = view.lines[place].tokens
        found[place] = sum(len(token) == 1 and token >= _FIRST_IDEOGRAPH for token in tokens)
    return found


def _of_wording(view: View) -> Iterator[NamedColumn]:
    characters, texts = view.characters, [line.text for line in view.lines]
    has_digits = (characters.decimals > 0).tolist()
    yield "ends_in_ellipsis", [text.endswith(("...", "…", "[…]", "[...]")) for text in texts]
    is_marked = (characters.count(Trait.COPYRIGHT) > 0).tolist()
    has_copyright = [
        marked or "(c)" in text or "(C)" in text
        for text, marked in zip(texts, is_marked, strict=True)
    ]
    yield "copyright", has_copyright
    has_at = (characters.count(Trait.AT) > 0).tolist()
    has_address = [
        at or "http" in text or "www." in text for text, at in zip(texts, has_at, strict=True)
    ]
    yield "address", has_address
    yield "starts_digit", characters.starts_with(Trait.DIGIT)
    yield "starts_mark", characters.starts_with(Trait.START_MARK)
    yield "capitalised", characters.capitalised
    years = [
        len(_YEAR.findall(text)) if may_have else 0
        for text, may_have in zip(texts, has_digits, strict=True)
    ]
    yield "years", years
    yield "ends_in_question", characters.ends_with(Trait.QUESTION_MARK)
    yield "early_colon", [":" in text[:30] for text in texts]


LINE = EvidenceSource("the line itself", _of_line)
WORDING = EvidenceSource("wording", _of_wording)
