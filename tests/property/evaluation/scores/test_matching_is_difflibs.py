from collections.abc import Sequence
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.evaluation.scores import matching, matching_blocks
from worker.evaluation.scores.fallback import matching_blocks as plain_matching_blocks

ALPHABETS = ["a", "ab", "abcde ", "alphabet soup of words\n", "\x00é中\U0001f600\ud800"]


def difflib_blocks(a: Sequence[object], b: Sequence[object]) -> list[tuple[int, int, int]]:
    matcher: SequenceMatcher[object] = SequenceMatcher(None, a, b, autojunk=False)
    return [(i, j, size) for i, j, size in matcher.get_matching_blocks()]


@st.composite
def alike_texts(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a text and an edited copy: the hard case, with long and with repeated blocks."""
    text = st.text(st.sampled_from(draw(st.sampled_from(ALPHABETS))), max_size=60)
    a = draw(st.lists(text, max_size=5).map("".join))
    b = a
    for _ in range(draw(st.integers(0, 6))):
        start, end = sorted(draw(st.tuples(st.integers(0, len(b)), st.integers(0, len(b)))))
        b = b[:start] + draw(text | st.just(b[end:])) + b[end:]
    return a, b


@given(alike_texts())
def test_blocks_of_strings_are_difflibs(texts: tuple[str, str]) -> None:
    assert matching_blocks(*texts) == difflib_blocks(*texts)


@given(alike_texts())
def test_blocks_of_words_are_difflibs(texts: tuple[str, str]) -> None:
    a, b = (text.split(" ") for text in texts)
    assert matching_blocks(a, b) == difflib_blocks(a, b)


@given(alike_texts())
def test_plain_python_finds_the_same_blocks(texts: tuple[str, str]) -> None:
    a, b = (list(map(ord, text)) for text in texts)
    blocks = plain_matching_blocks(a, b)
    assert matching._merged(blocks) == difflib_blocks(a, b)[:-1]


@given(
    st.lists(st.integers(0, 40), max_size=120),
    st.lists(st.integers(0, 40), max_size=120),
)
def test_blocks_of_unlike_sequences_are_difflibs(a: list[int], b: list[int]) -> None:
    assert matching_blocks(a, b) == difflib_blocks(a, b)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 3))
def test_interleaved_lists_match_as_difflib_says(size: int, other: int, width: int) -> None:
    a = list(range(size * width))
    b = [
        item
        for start in range(other)
        for item in (*range(start * width, start * width + width), -start - 1)
    ]
    assert matching_blocks(a, b) == difflib_blocks(a, b)


@pytest.mark.parametrize("text", ["", "a", "word " * 2_000])
def test_a_text_matches_itself_in_one_block(text: str) -> None:
    assert matching_blocks(text, text)[0][2] == len(text)
