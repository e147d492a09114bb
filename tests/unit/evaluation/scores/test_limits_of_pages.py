from lxml import html

from benchmarks.evaluation.scores import (
    Gold,
    best_blocks,
    best_subtree,
    score_page,
)

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


def test_limits_are_empty_if_the_page_lacks_the_gold_text() -> None:
    gold = Gold(id="1", site="s", text="Nothing like it, elsewhere")
    assert best_subtree(PAGE, gold).text == ""
    assert best_blocks(PAGE, gold).text == ""
