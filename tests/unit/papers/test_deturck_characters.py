"""Character comparison (Deturck 2015, algorithm 6), with values computed by hand."""

import pytest

from detourage.papers.deturck.retained import character_similarity


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        # a occurs twice and once: 1 - 1/2. b occurs once in both: 1. c occurs only in the second:
        # 0. The sum is divided by 3 letters.
        ("aab", "abc", (1 / 2 + 1 + 0) / 3),
        ("listen", "silent", 1),
        ("aaaa", "aa", 1 / 2),
        ("abc", "xyz", 0),
        ("", "", 0),
        ("abc", "", 0),
        # Only lower-case letters from a to z count.
        ("Été 2015, a", "BCD a", (0 + 1) / 2),
        ("部长", "部长", 0),
    ],
)
def test_letters_are_compared_by_frequency(first: str, second: str, value: float) -> None:
    assert character_similarity(first, second) == pytest.approx(value)
    assert character_similarity(second, first) == pytest.approx(value)
