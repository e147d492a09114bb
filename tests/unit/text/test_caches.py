"""Results are cached, except for texts so long that they could fill the memory."""

import pytest

from detourage.text.caches import MAX_LENGTH, cached_if_short


@pytest.mark.parametrize(("length", "computed"), [(1, 1), (MAX_LENGTH, 1), (MAX_LENGTH + 1, 2)])
def test_only_results_of_short_texts_are_kept(length: int, computed: int) -> None:
    texts: list[str] = []

    @cached_if_short(10)
    def doubled(text: str, times: int = 2) -> str:
        texts.append(text)
        return text * times

    assert doubled("a" * length) == doubled("a" * length) == "aa" * length
    assert len(texts) == computed
    assert doubled("a" * length, 3) == "aaa" * length
