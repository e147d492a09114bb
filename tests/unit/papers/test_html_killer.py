import pytest

from benchmarks.evaluation.methods import Source, get_extractor

PAGE = """<html><head><title>The Gull</title></head><body>
<p>Before the headline.</p>
<form><div><h1>The <span>headline</span></h1>
<p>First <a href="/x">paragraph</a>.</p><!-- a remark -->
<div>Second<br>third, with <b>weight</b>.</div>
<h2>A heading</h2><ul><li>An item</li></ul><script>var x = "code";</script>
<p>Last.</p></div></form></body></html>"""


def test_marked_up_output_has_headline_and_paragraphs() -> None:
    found = get_extractor("html_killer_markup").extract(Source(PAGE))
    assert found.title == "The headline"
    assert [block.text for block in found.blocks] == [
        "First paragraph.",
        "Second",
        "third, with weight. Last.",
    ]


def test_plain_output_has_the_same_lines_and_no_paragraphs() -> None:
    plain = get_extractor("html_killer").extract(Source(PAGE))
    assert plain.text.splitlines() == ["First paragraph.", "Second", "third, with weight. Last."]
    assert len(plain.blocks) == 1


@pytest.mark.parametrize("html", ["<body><p>No headline.</p></body>", "<p>No headline."])
def test_a_page_without_headline_is_extracted_from_its_beginning(html: str) -> None:
    found = get_extractor("html_killer_markup").extract(Source(html))
    assert found.title is None
    assert found.text == "No headline."
