from hypothesis import given
from hypothesis import strategies as st

from benchmarks.evaluation.scores.repeats import NameRepeats

words = st.text(st.sampled_from("ab"), min_size=1, max_size=8)


def occurrences(string: str, whole: list[str]) -> list[tuple[int, int]]:
    return [
        (index, place)
        for index, text in enumerate(whole)
        for place in range(len(text) - len(string) + 1)
        if text.startswith(string, place)
    ]


def is_maximal(string: str, whole: list[str]) -> bool:
    places = occurrences(string, whole)
    before = [whole[i][p - 1] if p else (i, "start") for i, p in places]
    after = [whole[i][p + len(string) :][:1] or (i, "end") for i, p in places]
    return len(places) > 1 and len(set(before)) > 1 and len(set(after)) > 1


def repeats_by_definition(
    texts: list[str], names: list[str]
) -> set[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    substrings = {n[i:j] for n in names for i in range(len(n)) for j in range(i + 1, len(n) + 1)}
    return {
        (
            string,
            tuple(i for i, text in enumerate(texts) if string in text),
            tuple(i for i, name in enumerate(names) if string in name),
        )
        for string in substrings
        if any(string in text for text in texts) and is_maximal(string, texts + names)
    }


@given(
    st.lists(words | st.text(st.sampled_from("abc"), max_size=20), max_size=5),
    st.lists(words, min_size=1, max_size=5, unique=True),
)
def test_finds_the_maximal_repeats_and_no_others(texts: list[str], names: list[str]) -> None:
    found = list(NameRepeats(names).find(texts))
    repeats = [(repeat.text, repeat.texts, repeat.names) for _, repeat in found]
    assert len(repeats) == len(set(repeats))
    assert set(repeats) == repeats_by_definition(texts, names)
