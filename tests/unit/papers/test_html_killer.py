"""HTML Killer (Daureu et al. 2015), and its script on handwritten HTML (section 2.1)."""

import pytest

from benchmarks.evaluation.methods import Source, get_extractor
from detourage.papers.html_killer_script import kill

PAGE = """<html><head><title>The Gull</title></head><body>
<p>Before the headline.</p>
<form><div><h1>The <span>headline</span></h1>
<p>First <a href="/x">paragraph</a>.</p><!-- a remark -->
<div>Second<br>third, with <b>weight</b>.</div>
<h2>A heading</h2><ul><li>An item</li></ul><script>var x = "code";</script>
<p>Last.</p></div></form></body></html>"""


def test_marked_up_and_plain_output_have_the_same_lines() -> None:
    lines = ["First paragraph.", "Second", "third, with weight. Last."]
    found = get_extractor("html_killer_markup").extract(Source(PAGE))
    assert found.title == "The headline"
    assert [block.text for block in found.blocks] == lines
    plain = get_extractor("html_killer").extract(Source(PAGE))
    assert plain.text.splitlines() == lines
    assert len(plain.blocks) == 1


@pytest.mark.parametrize("html", ["<body><p>No headline.</p></body>", "<p>No headline."])
def test_a_page_without_headline_is_extracted_from_its_beginning(html: str) -> None:
    found = get_extractor("html_killer_markup").extract(Source(html))
    assert found.title is None
    assert found.text == "No headline."


def test_the_script_finds_headline_and_paragraphs() -> None:
    code = """<html><head><style>p {}</style></head><body>
<p>Before the headline.</p><h1 class="big">The headline</h1> <p class="lead">First <a href="/x">
link</a> and <span>more</span>.</p><!-- a remark --><div>Then the second<br />and the third.</div>
<form><p>Search for it</p></form><ul><li>An item</li></ul><script>code();</script>
<img src="/a.png"/><h2>A heading</h2><p>The last one.</p></body><p>After the body.</p></html>"""
    lines = ["First link and more.", "Then the second", "and the third.The last one."]
    assert kill(code.encode()) == ("The headline", lines)


@pytest.mark.parametrize(
    ("code", "paragraphs"),
    [
        # A body with an attribute is not recognised.
        ("<p>In the head.</p><body><p>In the body.</p></body>", ["In the body."]),
        (
            "<p>In the head.</p><body id=a><p>In the body.</p></body>",
            ["In the head.", "In the body."],
        ),
        # Line ends are removed.
        ("<p>two words, one\nbreak</p>", ["two words, onebreak"]),
        # The page ends at a second h1.
        (
            "<h1>First title</h1><p>A paragraph.</p><h1>Next title</h1><p>Gone.</p>",
            ["A paragraph."],
        ),
        # An image extends to the next self-closing tag.
        (
            "<p>A picture: <img src=a> and its text</p><p>are gone <hr/>up to here.</p>",
            ["A picture: up to here."],
        ),
        # Other elements are removed with their content; b and similar tags keep theirs.
        (
            "<p>The <em>best</em> of the <b>very bold</b> ones of all.</p>",
            ["The of the very bold ones of all."],
        ),
        # A heading other than the first is dropped.
        (
            "<p>A paragraph.</p><h3 id=x>Heading</h3><p>Another one.</p>",
            ["A paragraph.", "Another one."],
        ),
        # A character reference becomes a space; a bare & removes all text up to the next semicolon.
        ("<p>Fish &amp; chips, please</p>", ["Fish chips, please"]),
        ("<p>Fish & chips; and more</p>", ["Fish and more"]),
        # Menus and tags.
        ("<p>Home | Town | Sea</p><p>Tags: pier, oak</p><p>The story.</p>", ["The story."]),
        # Between < and >, 3 to 12 bytes of anything are removed, even a paragraph of seven letters.
        ("<p>Sevenal</p><p>Eightall</p>", ["Eightall"]),
        ("<p>три</p><p>пять лет</p>", ["пять лет"]),
    ],
)
def test_the_substitutions_leave_the_expected_paragraphs(code: str, paragraphs: list[str]) -> None:
    assert kill(code.encode())[1] == paragraphs
