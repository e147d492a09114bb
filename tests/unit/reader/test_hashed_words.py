import numpy as np

from detourage.reader.hashed_words import (
    NAME_NUMBERS,
    TEXT_NUMBERS,
    WORDS_OF_NAMES,
    HashedWords,
    hash_words,
)
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline
from tests.unit.reader.article_pages import page


def hashed(body: str) -> HashedWords:
    outline = Outline.of(page(body).document)
    return hash_words(outline, [line.block for line in lines_of(outline)])


def test_the_same_words_have_the_same_hashes_everywhere() -> None:
    words = hashed("<p>Read also this</p><div><p>read ALSO this</p></div><p>Other words here</p>")
    first, second, third = words.texts.tolist()
    assert first == second != third
    assert first[:3] != [0, 0, 0]
    assert first[3:] == [0] * (len(first) - 3)


def test_all_numbers_share_a_hash_and_last_words_differ_from_first_ones() -> None:
    words = hashed("<p>3 days</p><p>17 days</p><p>one two three four five six seven one two</p>")
    three, seventeen, long = words.texts.tolist()
    assert three == seventeen
    assert 0 not in long
    assert not set(long[:2]) & set(long[-2:])


def test_capitals_and_punctuation_separate_the_words_of_names() -> None:
    camel, dashed, other = hashed(
        '<p class="relatedStories">a</p><p class="related-stories">b</p><p class="body">c</p>'
    ).nearest.tolist()
    assert camel == dashed
    assert camel[0] == other[0]
    assert camel[1:3] != other[1:3]
    assert other[2:] == [0] * (WORDS_OF_NAMES - 2)


def test_names_of_enclosing_elements_are_listed_from_the_inside_out() -> None:
    [inner] = hashed('<section class="outer"><div class="inner"><p>a</p></div></section>').around
    [outer] = hashed('<div class="inner"><section class="outer"><p>a</p></section></div>').around
    assert inner[:2].tolist() == outer[2:4].tolist()
    assert inner[2:4].tolist() == outer[:2].tolist()


def test_hashes_stay_below_their_limits_for_any_page() -> None:
    names = " ".join(f"name{letter * 4}" for letter in "abcdefghijklmnopqrstuvwxyz")
    nested = f'<div class="{names}">' * 9
    text = " ".join(f"{word}\ud83d\ude00 中文" for word in ("Слово", "كلمة", "x" * 300))
    words = hashed(f"{nested}<p>{text}</p>")
    for bag, limit in zip(words.bags, (NAME_NUMBERS, NAME_NUMBERS, TEXT_NUMBERS), strict=True):
        assert bag.dtype == np.int32
        assert 0 <= bag.min() <= bag.max() < limit
