import pytest

from benchmarks.evaluation.scores import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t — … !", []),
        ("Don't pay 3.50, e-mail U.S.A.", ["Don't", "pay", "3.50", "e", "mail", "U.S.A"]),
        ("L’été à Köln", ["L’été", "à", "Köln"]),
        ("Ελλάδα, Россия", ["Ελλάδα", "Россия"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("WHO说流感H5N1", ["WHO", "说", "流", "感", "H5N1"]),
        ("カタカナー 한국어", ["カ", "タ", "カ", "ナ", "ー", "한", "국", "어"]),
        ("½ tasse", ["½", "tasse"]),
    ],
)
def test_words_follow_unicode_and_cjk_is_split_by_character(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_words_that_look_the_same_are_equal() -> None:
    assert words("e\u0301te\u0301 co\u00adope\u0301ration") == words("été coopération")
