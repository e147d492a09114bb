from lxml import html

from benchmarks.evaluation.scores import (
    Gold,
    TextBlock,
    best_blocks,
    best_subtree,
    headline_of,
    score_page,
)
from benchmarks.evaluation.scores.pagetext import page_text
from benchmarks.evaluation.scores.records import HEADING, LIST_ITEM, PARAGRAPH

PAGE = html.document_fromstring(
    """<html><head><title>Flu is back</title><style>p {}</style></head><body>
    <ul id="menu"><li>Home</li><li>Sport</li></ul>
    <div id="page"><h1>Flu is back</h1>
      <div id="body"><p>The flu has <b>come back</b> to town.</p>
        <p>Share this</p>
        <script>track()</script>Doctors ask people to stay at home.<br>They rarely do.</div>
    </div><p>Copyright</p></body></html>"""
)
GOLD = Gold(
    id="1",
    site="s",
    text="The flu has come back to town.\nDoctors ask people to stay at home.\nThey rarely do.",
)


def test_blocks_are_cut_at_block_elements_and_line_breaks() -> None:
    assert [block for block, _ in page_text(PAGE).blocks] == [
        TextBlock(LIST_ITEM, "Home"),
        TextBlock(LIST_ITEM, "Sport"),
        TextBlock(HEADING, "Flu is back"),
        TextBlock(PARAGRAPH, "The flu has come back to town."),
        TextBlock(PARAGRAPH, "Share this"),
        TextBlock(PARAGRAPH, "Doctors ask people to stay at home."),
        TextBlock(PARAGRAPH, "They rarely do."),
        TextBlock(PARAGRAPH, "Copyright"),
    ]


def test_the_best_subtree_contains_what_cannot_be_pruned() -> None:
    body = best_subtree(PAGE, GOLD)
    assert body.text.splitlines() == [
        "The flu has come back to town.",
        "Share this",
        "Doctors ask people to stay at home.",
        "They rarely do.",
    ]


def test_the_best_blocks_omit_what_is_between_them() -> None:
    assert score_page(best_blocks(PAGE, GOLD), GOLD)["equal"] == 100


def test_the_given_headline_is_not_searched_for() -> None:
    gold = Gold(id="1", site="s", text=f"Flu is back\n{GOLD.text}", title="Flu is back")
    headline = headline_of(gold, PAGE)
    limit = best_blocks(PAGE, gold, headline)
    assert "Flu is back" not in limit.text
    assert score_page(limit, gold, headline)["equal"] == 100


def test_limits_are_empty_if_the_page_lacks_the_gold_text() -> None:
    gold = Gold(id="1", site="s", text="Nothing like it, elsewhere")
    assert best_subtree(PAGE, gold).text == ""
    assert best_blocks(PAGE, gold).text == ""
