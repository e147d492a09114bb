from difflib import SequenceMatcher

import pytest

from benchmarks.evaluation.scores import (
    PRF,
    TextBlock,
    characters,
    read_markup,
    text_and_markup,
    text_only,
)
from benchmarks.evaluation.scores.records import HEADING, LIST_ITEM, PARAGRAPH

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


def cleaneval_script(text_tokens: list[str], gold_tokens: list[str]) -> tuple[PRF, PRF]:
    """Compute the scores from difflib's operations, as the competition's script does."""
    operations = SequenceMatcher(None, text_tokens, gold_tokens, autojunk=False).get_opcodes()
    kept = [text_tokens[i:j] for name, i, j, _, _ in operations if name == "equal"]
    sides = ([token for part in kept for token in part], text_tokens, gold_tokens)
    tags = ([token for token in side if token in ("<h>", "<p>", "<l>")] for side in sides)
    return PRF.of(*map(len, sides)), PRF.of(*map(len, tags))


@pytest.mark.parametrize("labelled", [True, False])
def test_text_and_markup_matches_the_competition(labelled: bool) -> None:
    text, gold = (
        file.replace("URL: http://www.example.org/<p>/page", "") for file in (TEXT_FILE, GOLD_FILE)
    )
    if not labelled:
        gold = gold.replace("<h>", "<p>").replace("<l>", "<p>")
    tokens, marks = cleaneval_script(
        text.replace("<p>", "<p> ").split(),
        gold.replace("<h>", "<h> ").replace("<p>", "<p> ").replace("<l>", "<l> ").split(),
    )
    score = text_and_markup(
        read_markup(TEXT_FILE), read_markup(GOLD_FILE), labelled=labelled, split=str.split
    )
    assert score.tokens == tokens
    assert score.marks == marks


def test_the_order_of_words_counts() -> None:
    assert text_only("The cat sat.", "the cat sat") == PRF.of(2, 3, 3)
    assert text_only("two one", "one two") == PRF.of(1, 2, 2)
    assert text_only("menu one two three menu", "one two three") == PRF(60, 100, 75)


def test_characters_are_compared_after_normalising_white_space() -> None:
    assert characters("one\r\n\n two", "one two\n") == PRF(100, 100, 100)
    assert characters("流感", "流行性感冒") == PRF.of(2, 2, 5)
