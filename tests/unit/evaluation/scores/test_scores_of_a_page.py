import pytest
from lxml import html

from benchmarks.evaluation.scores import (
    SCORES,
    Gold,
    Prediction,
    TextBlock,
    agreement,
    headline_of,
    rouge_lsum,
    score_page,
    words,
)
from benchmarks.evaluation.scores.records import HEADING, LIST_ITEM, PARAGRAPH


def test_agreement_matches_deturck() -> None:
    gold = words("One two three four.")
    near = agreement(words("one, two three four"), gold)
    assert near.cosine == pytest.approx(0.75)
    assert not near.exact
    assert not near.equal
    same = agreement(words("One two three four"), gold)
    assert (same.cosine, same.exact, same.equal) == (1.0, True, True)
    assert not same.within_gold
    assert not same.around_gold


def test_a_text_is_exact_from_nine_tenths_on() -> None:
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
