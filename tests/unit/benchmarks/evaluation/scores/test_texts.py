"""Scores of texts: their words, names, and agreement with the gold text."""

from difflib import SequenceMatcher

import pytest
from lxml import html

from benchmarks.evaluation.scores import (
    PRF,
    SCORES,
    Gazetteer,
    Gold,
    Prediction,
    TextBlock,
    agreement,
    characters,
    headline_of,
    read_markup,
    recogniser_of,
    rouge_lsum,
    score_page,
    text_and_markup,
    text_only,
    words,
)
from benchmarks.evaluation.scores.records import HEADING, LIST_ITEM, PARAGRAPH


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t — … !", []),
        ("Don't pay 3.50, e-mail U.S.A.", ["Don't", "pay", "3.50", "e", "mail", "U.S.A"]),
        ("L’été à Köln", ["L’été", "à", "Köln"]),
        ("Ελλάδα, Россия", ["Ελλάδα", "Россия"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("WHO说流感H5N1", ["WHO", "说", "流", "感", "H5N1"]),
        ("カタカナー 한국어", ["カ", "タ", "カ", "ナ", "ー", "한", "국", "어"]),
        ("½ tasse", ["½", "tasse"]),
        ("e\u0301te\u0301 co\u00adope\u0301ration", ["été", "coopération"]),
    ],
)
def test_words_follow_unicode_and_cjk_is_split_by_character(text: str, expected: list[str]) -> None:
    assert words(text) == expected


TEXTS = [
    "Flu Returns To The Northern Islands\n"
    "On Monday the minister Anna Kowalska spoke in Warsaw. The crowd cheered.\n"
    "Later, Anna Kowalska met the crowd in Warsaw again, with Jean-Pierre Blanc.",
    "In Warsaw the crowd waits for Kowalska. 《人民日报》 says so.",
]


def test_names_are_found_as_spelled_in_the_gold_text() -> None:
    gazetteer = Gazetteer(TEXTS)
    found = gazetteer.find(TEXTS[0])
    assert found["Anna Kowalska"] == 2
    assert found["Warsaw"] == 2
    assert found["Monday"] == 1
    assert "Kowalska" not in found
    assert gazetteer.find(TEXTS[1])["Kowalska"] == 1
    assert gazetteer.find("《人民日报》报道")["人 民 日 报"] == 1
    assert len(Gazetteer([])) == 0
    assert not Gazetteer([]).find("Anna Kowalska")


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        (
            "ru",
            "Маргарет Чен прилетела в Москву.\nВ Москве её ждал мэр.",
            ["Маргарет Чен", "Москву"],
        ),
        ("zh", "陈竺在北京表示。\n他去了上海。", ["陈竺", "北京", "上海"]),
    ],
)
def test_a_real_recogniser_finds_names(language: str, text: str, names: list[str]) -> None:
    recogniser = recogniser_of(language)
    assert recogniser is not None
    found = recogniser.find(text)
    assert set(names) <= set(found)
    assert recogniser.find(f"{text}\n\n{text}") == found + found


GOLD_FILE = """URL: http://www.example.org/<p>/page

   <h>Storytelling across time
and borders

<p>This page tells
stories.
<l>One story
<l>Another one"""

TEXT_FILE = """Home Contact
<p>Storytelling across time and borders
<p>This page tells stories.
<p>One story Another one
<p>Print this page"""


def test_markup_is_read_as_segments() -> None:
    assert read_markup(GOLD_FILE) == (
        TextBlock(HEADING, "Storytelling across time and borders"),
        TextBlock(PARAGRAPH, "This page tells stories."),
        TextBlock(LIST_ITEM, "One story"),
        TextBlock(LIST_ITEM, "Another one"),
    )
    assert read_markup(TEXT_FILE)[0] == TextBlock("", "Home Contact")


def test_leftover_html_in_markup_is_not_text() -> None:
    markup = """<!DOCTYPE html><html><head><script>var x = "<p>";</script></head><body>
    <p>A <a href="/x">link</a> &lt;b&gt;<br/>and<div class="y">more</div></p>
    <!-- <p>not this --><P>x &lt; y <jefferai> said</p></body></html>"""
    assert read_markup(markup) == (
        TextBlock(PARAGRAPH, "A link &lt;b&gt; and more"),
        TextBlock(PARAGRAPH, "x &lt; y <jefferai> said"),
    )


@pytest.mark.parametrize("labelled", [True, False])
def test_text_and_markup_scores_match_those_of_the_competition(labelled: bool) -> None:
    text, gold = (
        file.replace("URL: http://www.example.org/<p>/page", "") for file in (TEXT_FILE, GOLD_FILE)
    )
    if not labelled:
        gold = gold.replace("<h>", "<p>").replace("<l>", "<p>")
    text_tokens, gold_tokens = (side.replace(">", "> ").split() for side in (text, gold))
    # Compute the scores from difflib's operations, as the competition's script does.
    operations = SequenceMatcher(None, text_tokens, gold_tokens, autojunk=False).get_opcodes()
    kept_tokens = [text_tokens[i:j] for name, i, j, _, _ in operations if name == "equal"]
    sides = ([token for part in kept_tokens for token in part], text_tokens, gold_tokens)
    tags = ([token for token in side if token in ("<h>", "<p>", "<l>")] for side in sides)
    score = text_and_markup(
        read_markup(TEXT_FILE), read_markup(GOLD_FILE), labelled=labelled, split=str.split
    )
    assert score.tokens == PRF.of(*map(len, sides))
    assert score.marks == PRF.of(*map(len, tags))


def test_the_order_of_words_counts() -> None:
    assert text_only("The cat sat.", "the cat sat") == PRF.of(2, 3, 3)
    assert text_only("two one", "one two") == PRF.of(1, 2, 2)
    assert text_only("menu one two three menu", "one two three") == PRF(60, 100, 75)


def test_characters_are_compared_after_normalising_white_space() -> None:
    assert characters("one\r\n\n two", "one two\n") == PRF(100, 100, 100)
    assert characters("流感", "流行性感冒") == PRF.of(2, 2, 5)


def test_agreement_is_calculated_as_in_deturck() -> None:
    gold = words("One two three four.")
    near = agreement(words("one, two three four"), gold)
    assert near.cosine == pytest.approx(0.75)
    assert not near.exact
    assert not near.equal
    same = agreement(words("One two three four"), gold)
    assert (same.cosine, same.exact, same.equal) == (1.0, True, True)
    assert not same.within_gold
    assert not same.around_gold


def test_a_text_with_nine_tenths_of_the_gold_words_counts_as_exact() -> None:
    gold = [f"w{index}" for index in range(100)]
    assert agreement([*gold[:90], *map(str, range(10))], gold).exact
    assert not agreement([*gold[:89], *map(str, range(11))], gold).exact


def test_rouge_matches_the_published_example() -> None:
    # Lin 2004, section 3.2: the union covers w1, w2, w3 and w5, which is 4/5 of the reference.
    assert rouge_lsum("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5").recall == 80


def test_a_page_gets_every_score_that_applies() -> None:
    blocks = (
        TextBlock(HEADING, "Flu"),
        TextBlock(PARAGRAPH, "It is back."),
        TextBlock(LIST_ITEM, "Cough"),
    )
    gold = Gold(id="1", site="s", text="Flu\nIt is back.\nCough", blocks=blocks)
    text_alone = score_page(Prediction(text="Flu\nIt is back.\nCough"), gold, blocks[0])
    assert {name.split("_")[0] for name in text_alone} == set(SCORES)
    assert text_alone["to_f"] == text_alone["tmu_f"] == text_alone["equal"] == 100
    assert text_alone["mark_f"] == pytest.approx(100 / 3)
    marked = Prediction(text="Flu\n\nIt is back.\n\nCough", blocks=blocks)
    assert score_page(marked, gold)["mark_f"] == 100
    without_marks = Gold(id="1", site="s", text="Flu\nIt is back.\nCough")
    assert "tm_f" not in score_page(marked, without_marks)


PAGE = html.document_fromstring(
    """<html><head><title>Flu is back - The Gull</title></head>
    <body><h2>Latest</h2><p>Flu is back</p><p>It coughs.</p></body></html>"""
)


def test_every_method_gets_the_headline_of_the_gold_record() -> None:
    gold = Gold(id="1", site="s", text="Flu is back\nIt coughs.", title="Flu is back")
    headline = headline_of(gold, PAGE)
    assert headline == TextBlock(HEADING, "Flu is back")
    for text in ("It coughs.", "Flu is back! It coughs."):
        assert score_page(Prediction(text=text), gold, headline)["equal"] == 100
    assert score_page(Prediction(text="It coughs."), gold)["equal"] == 0


def test_a_headline_missing_from_the_gold_is_the_first_title_line_of_the_page() -> None:
    gold = Gold(id="1", site="s", text="Flu is back\nIt coughs.")
    assert headline_of(gold, PAGE) == TextBlock(HEADING, "Flu is back")
    assert headline_of(Gold(id="1", site="s", text="It coughs."), PAGE) is None
    assert headline_of(Gold(id="1", site="s", text="back Flu\nIt"), PAGE) is None


def test_a_headline_found_by_the_method_itself_is_scored_separately() -> None:
    gold = Gold("a", "site.example", "en", text="The ferry returns\nIt was away for nine years.")
    given = TextBlock(HEADING, "The ferry returns")
    body = "It was away for nine years."
    right = score_page(Prediction("The ferry returns", body), gold, given)
    affixed = score_page(Prediction("The ferry returns | Harbour Post", body), gold, given)
    assert (right["equal"], right["own_equal"], right["own_f"]) == (100, 100, 100)
    assert (affixed["equal"], affixed["own_equal"]) == (100, 0)
    assert affixed["own_f"] < 100
    assert "own_equal" not in score_page(Prediction("The ferry returns", gold.text or ""), gold)
