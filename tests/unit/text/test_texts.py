"""Splitting texts into words, writing counts and ages in words, and repairing characters."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from detourage.html import parse_page
from detourage.html.visible_text import visible_text
from detourage.text import words
from detourage.text.mojibake import repair
from detourage.text.plural import pluralise, short_age
from detourage.text.token_counts import LAST_CHARACTER, Trait, character_tables
from detourage.text.words import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Le parlement, l’été : 3,5 % !", ["le", "parlement", "l", "été", "3", "5"]),
        ("a-b\u00a0d", ["a", "b", "d"]),
        ("ABC中文字かナ한글 def", ["abc", "中", "文", "字", "か", "ナ", "한글", "def"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("cafe\u0301", ["cafe\u0301"]),
        (" … — ", []),
    ],
)
def test_tokens_are_delimited_by_space_and_punctuation(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1000, "1000 pages")]
)
def test_the_singular_is_used_only_for_one(number: int, words: str) -> None:
    assert pluralise(number, "page") == words


@pytest.mark.parametrize(
    ("seconds", "age"), [(59.4, "59 s"), (60, "1 min"), (7300, "2 h"), (86400 * 3.9, "3 d")]
)
def test_ages_are_in_their_largest_unit(seconds: float, age: str) -> None:
    assert short_age(seconds) == age


@pytest.mark.parametrize(
    ("garbled", "repaired"),
    [
        ("itâ€™s late", "it’s late"),
        ("itâ\x80\x99s late", "it’s late"),
        ("â€œHelloâ€\x9d, he said", "“Hello”, he said"),
        ("MontrÃ©al, KÃ¶ln and Ã‰rik", "Montréal, Köln and Érik"),
        ("siÄ™ and uÅ¼y", "się and uży"),
        ("Ð\x98Ñ\x81Ð¿Ð¾Ð»", "Испол"),
        ("20Â°, aÂ\xa0space", "20°, a\xa0space"),
        ("â‚¬150â€¦ ðŸ˜ž", "€150… 😞"),
        ("itÃ¢â‚¬â„¢s late", "it’s late"),
    ],
)
def test_wrongly_decoded_characters_are_fixed(garbled: str, repaired: str) -> None:
    assert repair(garbled) == repaired


@pytest.mark.parametrize(
    "text",
    [
        *("NESCAFÉ® and LIBERTÉ»", "«AMANHû e “IRMÔ", "těžké\xa0– s médii", "¶ÈÃÍ¬ÊÂÍûŒ ×ªÉœ"),
        *("das MENÜ“, groß“ und Maß\xadnahmen", "lucidité\xa0», déterminé”\xa0»"),
        *("Rosa\xa0×\xa0media, È\xa0attualmente", 'I see â€™ instead of it, and "Ã¤"'),
        *("https://news.example/cafÃ©s", '<a href="/cafÃ©s">'),
    ],
)
def test_text_that_may_be_intended_is_kept(text: str) -> None:
    assert repair(text) == text


def test_everything_on_a_page_is_fixed_except_its_urls() -> None:
    html_page = parse_page(
        "<html><head><title>Itâ€™s</title></head><body><p>Hereâ€™s <b>itâ€™s</b>"
        '<a href="/itâ€™s"><img alt="Sheâ€™s"></a></p></body></html>'
    )
    root = html_page.document
    assert visible_text(root) == "Here’s it’s"
    assert root.findtext("head/title") == "It’s"
    assert [each.get("alt") for each in root.iter("img")] == ["She’s"]
    assert [each.get("href") for each in root.iter("a")] == ["/itâ€™s"]


ALL_CHARACTERS = "".join(map(chr, range(LAST_CHARACTER + 1)))
PATTERNS: dict[int, Callable[[str], object]] = {
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


@pytest.mark.parametrize("trait", PATTERNS, ids=bin)
def test_traits_are_those_of_the_regular_expressions(trait: int) -> None:
    found = np.flatnonzero(character_tables().traits & trait).tolist()
    assert found == [code for code, each in enumerate(ALL_CHARACTERS) if PATTERNS[trait](each)]


def test_lower_case_letters_are_those_of_python_with_one_exception() -> None:
    lower = character_tables().lower.tolist()
    exceptions = [
        code for code, each in enumerate(ALL_CHARACTERS) if chr(lower[code]) != each.lower()
    ]
    assert exceptions == [0x130]
