"""The terms of an article are limited in number, and the same on every machine."""

import numpy as np
import pytest

from worker.events.terms import (
    MAX_TERMS,
    TITLE_WEIGHT,
    primary_language,
    terms_of,
    words_of,
)


def test_words_of_the_title_weigh_more() -> None:
    found = terms_of("Flood", None, "Flood water rises")
    assert sorted(found["count"]) == [1, 1, 1 + TITLE_WEIGHT]


def test_a_lead_that_begins_the_text_counts_once() -> None:
    inside = terms_of(None, "Water rises.", "Water rises. Dams hold.")
    apart = terms_of(None, "Water rises.", "Dams hold.")
    assert inside.tolist() == apart.tolist()


def test_scripts_without_spaces_give_pairs_of_characters() -> None:
    assert words_of("洪水上涨，WHO 警告") == ["洪水", "水上", "上涨", "who", "警告"]


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"word{number}" for number in range(100_000)),
        "flood " * 100_000,
        "洪" * 300_000,
        "\ud800 " * 1000,
        "",
    ],
)
def test_hostile_texts_have_bounded_terms(text: str) -> None:
    found = terms_of(text, text, text)
    assert len(found) <= MAX_TERMS
    assert np.all(found["term"][1:] > found["term"][:-1])
    assert found["count"].max(initial=0) <= 255


def test_the_primary_language_has_no_region() -> None:
    assert [primary_language(tag) for tag in ("en-GB", "ZH-Hant", None)] == ["en", "zh", "und"]
