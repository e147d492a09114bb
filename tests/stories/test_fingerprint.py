import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stories.fingerprint import BANDS, MAX_CHARACTERS, ROWS, fingerprint_of
from stories.overlap import overlap_of

WORDS = [f"word{number}" for number in range(2_000)]


def test_case_punctuation_and_white_space_do_not_matter() -> None:
    one = fingerprint_of("“The Council” met:\n\nnobody   came.")
    other = fingerprint_of("the council met, nobody came")
    assert one.key == other.key
    assert one.key != fingerprint_of("nobody came, the council met").key


def test_full_width_letters_equal_normal_ones() -> None:
    assert fingerprint_of("２０２６年ＡＢＣ").key == fingerprint_of("2026年ABC").key


def test_scripts_without_spaces_have_character_shingles() -> None:
    text = "新华社北京五月一日电国务院总理今天会见了来访的外国客人，双方交换了意见。"
    whole, part = fingerprint_of(text), fingerprint_of(text[4:])
    assert whole.is_comparable
    overlap = overlap_of(part.shingles, whole.shingles)
    assert overlap.common == overlap.own


def test_a_short_text_is_not_compared() -> None:
    assert not fingerprint_of("Sign in to read this article.").is_comparable
    assert not fingerprint_of("").is_comparable


def test_text_beyond_the_limit_is_ignored() -> None:
    text = "word " * (MAX_CHARACTERS // 5)
    assert fingerprint_of(text).key == fingerprint_of(text + "more").key


@given(st.text())
def test_any_text_has_a_fingerprint(text: str) -> None:
    found = fingerprint_of(text)
    assert len(found.key) == 16
    assert len(found.bands) in (0, BANDS)
    assert (np.diff(found.shingles.astype(np.int64)) > 0).all()


def test_bands_match_as_often_as_theory_predicts() -> None:
    chance = np.random.default_rng(1)
    meetings = []
    resemblances = []
    for _ in range(120):
        words = list(chance.choice(WORDS, 300))
        one = fingerprint_of(" ".join(words))
        other = fingerprint_of(" ".join([*words[:90], *chance.choice(WORDS, 210)]))
        resemblances.append(overlap_of(one.shingles, other.shingles).resemblance)
        meetings.append(bool(np.intersect1d(one.bands, other.bands).size))
    expected = np.mean([1 - (1 - each**ROWS) ** BANDS for each in resemblances])
    assert np.mean(meetings) == pytest.approx(expected, abs=0.12)
