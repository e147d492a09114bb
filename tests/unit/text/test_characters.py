"""The character table agrees with Python and with the regular expressions."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from detourage.text import words
from detourage.text.texts import LAST_CHARACTER, Trait, character_tables

EVERY = "".join(map(chr, range(LAST_CHARACTER + 1)))
PATTERNS: dict[Trait, Callable[[str], object]] = {
    Trait.UPPER: str.isupper,
    Trait.DECIMAL: str.isdecimal,
    Trait.DIGIT: str.isdigit,
    Trait.SPACE: re.compile(r"\s").match,
    Trait.WORD: re.compile(rf"[^\W{words.UNSPACED}]").match,
    Trait.UNSPACED: re.compile(f"[{words.UNSPACED}]").match,
    Trait.SIGN: re.compile(f"[{words.SIGNS}]").match,
    Trait.ILLEGAL: re.compile(f"[{words.ILLEGAL}]").match,
    Trait.INVISIBLE: re.compile(f"[{words.INVISIBLE}]").match,
    Trait.SENTENCE_MARK: re.compile(f"[{words.MARKS}]").match,
    Trait.AFTER_SENTENCE: re.compile(r"[\s\"'\u00bb\u201d\u2019)\]]").match,
    Trait.GREEK: re.compile("[\u0370-\u03ff\u1f00-\u1fff]").match,
    Trait.AT: "@".__eq__,
}


@pytest.mark.parametrize("trait", PATTERNS, ids=lambda trait: trait.name)
def test_traits_are_those_of_the_regular_expressions(trait: Trait) -> None:
    found = np.flatnonzero(character_tables().traits & trait).tolist()
    assert found == [place for place, each in enumerate(EVERY) if PATTERNS[trait](each)]


def test_lower_case_letters_are_those_of_python_with_one_exception() -> None:
    lower = character_tables().lower.tolist()
    others = [place for place, each in enumerate(EVERY) if chr(lower[place]) != each.lower()]
    assert others == [0x130]
