import pytest

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
