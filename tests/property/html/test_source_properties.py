"""Every text of a page is found in the page's source at its recorded position."""

from hypothesis import given

from detourage.html import PageError, parse_page
from detourage.html.source import PageSource
from tests.property.html.test_html5_properties import FOREIGN_MARKUP, HTML_MARKUP


def check(markup: str) -> None:
    raw = markup.encode()
    try:
        page = parse_page(raw, content_type="text/html; charset=utf-8")
    except PageError:
        return
    source = PageSource.of(page)
    for number, text in enumerate(page.flat.pieces.texts):
        found = source.text_range(number)
        bare = raw[slice(*found)].decode() if found is not None else ""
        # The range of a text with a CDATA section in it contains the section's end.
        if bare and "]]>" not in bare and not set("<&") & set(bare):
            assert bare == text.strip(" \t\n\f\r")


@given(HTML_MARKUP)
def test_positions_in_html(markup: str) -> None:
    check(markup)


@given(FOREIGN_MARKUP)
def test_positions_in_foreign_content(markup: str) -> None:
    check(markup)
