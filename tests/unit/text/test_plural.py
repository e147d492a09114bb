import pytest

from detourage.text.plural import counted, short_age


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1000, "1000 pages")]
)
def test_one_is_singular(number: int, words: str) -> None:
    assert counted(number, "page") == words


@pytest.mark.parametrize(
    ("seconds", "age"), [(59.4, "59 s"), (60, "1 min"), (7300, "2 h"), (86400 * 3.9, "3 d")]
)
def test_ages_are_in_their_largest_unit(seconds: float, age: str) -> None:
    assert short_age(seconds) == age
