"""Evidence from the text of a line alone."""

import re
from collections.abc import Iterator

import numpy as np

from worker.extraction.evidence.characters import Trait
from worker.extraction.evidence.view import Column, EvidenceSource, View

_DATE = re.compile(r"(?:19|20)\d\d|\d{1,2}[:.]\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FIRST_IDEOGRAPH = "\u2e80"


def _of_line(view: View) -> Iterator[Column]:
    characters, counts = view.characters, view.counts
    lengths = characters.lengths
    digits = characters.decimals
    yield counts
    yield view.linked / counts
    yield view.sentences
    yield view.sentences / counts
    yield lengths / counts
    yield digits / lengths
    yield characters.count(Trait.UPPER) / lengths
    yield _ideographs(view) / counts
    yield characters.count(Trait.COMMA)
    yield characters.ends_with(Trait.END_MARK)
    yield characters.ends_with(Trait.COLON)
    yield characters.starts_with(Trait.UPPER)
    yield [
        has_digits and _DATE.search(line.text) is not None
        for line, has_digits in zip(view.lines, (digits > 0).tolist(), strict=True)
    ]
    yield characters.count(Trait.QUOTE) > 0
    yield characters.count(Trait.PARTER) > 0


def _ideographs(view: View) -> Column:
    found = np.zeros(len(view.lines))
    for place in np.flatnonzero(view.characters.has_ideographs).tolist():
        tokens = view.lines[place].tokens
        found[place] = sum(len(token) == 1 and token >= _FIRST_IDEOGRAPH for token in tokens)
    return found


def _of_wording(view: View) -> Iterator[Column]:
    characters, texts = view.characters, [line.text for line in view.lines]
    has_digits = (characters.decimals > 0).tolist()
    yield [text.endswith(("...", "…", "[…]", "[...]")) for text in texts]
    yield [
        is_marked or "(c)" in text or "(C)" in text
        for text, is_marked in zip(
            texts, (characters.count(Trait.COPYRIGHT) > 0).tolist(), strict=True
        )
    ]
    yield [
        has_at or "http" in text or "www." in text
        for text, has_at in zip(texts, (characters.count(Trait.AT) > 0).tolist(), strict=True)
    ]
    yield characters.starts_with(Trait.DIGIT)
    yield characters.starts_with(Trait.START_MARK)
    yield characters.capitalised
    yield [
        len(_YEAR.findall(text)) if may_have else 0
        for text, may_have in zip(texts, has_digits, strict=True)
    ]
    yield characters.ends_with(Trait.QUESTION_MARK)
    yield [":" in text[:30] for text in texts]


LINE = EvidenceSource(
    "the line itself",
    (
        *("words", "link_density", "sentences", "sentence_density", "word_length"),
        *("digits", "capitals", "ideographs", "commas"),
        *("ends_sentence", "ends_in_colon", "starts_capital", "has_date", "has_quote"),
        "has_parter",
    ),
    _of_line,
)

WORDING = EvidenceSource(
    "wording",
    (
        *("ends_in_ellipsis", "copyright", "address", "starts_digit", "starts_mark"),
        *("capitalised", "years", "ends_in_question", "early_colon"),
    ),
    _of_wording,
)
