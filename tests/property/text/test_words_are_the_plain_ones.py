"""The optimised processing of texts gives the same results as the plain Python version."""

import re
from itertools import accumulate

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detourage.text import words
from detourage.text.token_counts import (
    LAST_CHARACTER,
    count_sentences,
    count_words,
    digests_of,
    read_texts,
)
from detourage.text.words import MARKS, SIGNS, UNSPACED

TOKEN = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}](?:[^\W{UNSPACED}]|[{SIGNS}])*")
UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]")
SENTENCE_END = re.compile(rf"(?<![{MARKS}])[{MARKS}]+(?=[\s\"'»”’)\]]|$)")
UNSPACED_END = re.compile("[。！？．｡।॥။၊។៕]+")
GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")

TEXTS = st.text(
    st.one_of(
        st.sampled_from(
            " \t\n.,;!?…\"'»”_-0aB\u00a0\u00ad\u200b\u200d\u202e\u2066İΣσßéż中の각ก่ำक्षि؛؟。"
        ),
        st.characters(exclude_categories=["Cs"]),
    )
)


@given(TEXTS)
def test_tokens_are_those_of_the_plain_implementation(text: str) -> None:
    assert words.tokens(text) == TOKEN.findall(text.lower())


@given(TEXTS)
def test_clean_matches_the_plain_implementation(text: str) -> None:
    assert words.clean(text) == " ".join(INVISIBLE.sub("", UNWANTED.sub(" ", text)).split())


@given(TEXTS)
def test_sentences_are_counted_as_by_the_plain_implementation(text: str) -> None:
    plain = INVISIBLE.sub("", UNWANTED.sub(" ", text))
    ends = [end for end in SENTENCE_END.findall(plain) if GREEK.search(plain) or end.strip(";؛")]
    assert count_sentences(text) == len(ends) + len(UNSPACED_END.findall(plain))


@given(TEXTS, TEXTS)
def test_invisible_characters_do_not_join_separate_words(before: str, after: str) -> None:
    text = f"{before} {after}"
    if not INVISIBLE.search(text):
        assert words.tokens(words.clean(text)) == words.tokens(before) + words.tokens(after)


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=3), max_size=4))
def test_texts_and_lines_are_the_same_without_native_code(lines: list[list[str]]) -> None:
    texts = [text for line in lines for text in line]
    starts = [0, *accumulate(map(len, lines))][: len(lines)]
    read = read_texts(texts, np.array(starts, dtype=np.int64))
    joined = ["".join(line) for line in lines if len(line) > 1 or INVISIBLE.search(line[0])]
    assert read.clean == [words.clean(text) for text in (*texts, *joined)]
    expected = [words.tokens(text) for text in (*texts, *map(words.clean, joined))]
    assert read.ends.tolist() == [*accumulate(map(len, expected))]
    assert read.digests.tolist() == digests_of([" ".join(tokens) for tokens in expected]).tolist()
    shown = [read.clean[place] for place in read.line_texts]
    assert shown == [words.clean("".join(line)) for line in lines]


@given(st.text(st.one_of(st.sampled_from("ab _\u0301\u0e01"), st.characters())))
def test_word_counts_are_the_same_with_and_without_native_code(text: str) -> None:
    assert count_words(text) == len(words.tokens(text)) - words.count_unspaced(text) / 2


def test_every_character_is_the_same_with_and_without_native_code() -> None:
    codes = [*range(0xD800), *range(0xE000, LAST_CHARACTER + 0x400), *range(0x3FF00, 0x40100)]
    raw_texts = [f"{chr(code)}A{chr(code)} .{chr(code)} a{chr(code)}" for code in codes]
    read = read_texts(raw_texts, np.array([], dtype=np.int64))
    assert read.clean == [*map(words.clean, raw_texts)]
    assert read.ends.tolist() == [*accumulate(len(words.tokens(text)) for text in raw_texts)]
    assert [*map(count_words, raw_texts)] == [
        len(words.tokens(text)) - words.count_unspaced(text) / 2 for text in raw_texts
    ]
