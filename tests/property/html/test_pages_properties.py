import pytest
from hypothesis import given
from hypothesis import strategies as st

from detourage.html import PageError, Tree, parse_page
from detourage.html.encoding import decode
from detourage.html.page_errors import UndecodableError
from detourage.html.visible_text import visible_text
from tests.property.template.distance.trees import trees
from tests.trees import format_brackets, parse_brackets

CONTENT_TYPES = st.sampled_from(
    [
        *(None, "text/html", "text/html; charset=utf-8", "text/html; charset=gb2312"),
        *("text/html; charset=utf-16", "text/html; charset=iso-2022-jp", "application/xhtml+xml"),
    ]
)
PIECES = st.sampled_from(
    [
        *("<html>", '<html xmlns="http://www.w3.org/1999/xhtml">', "<?xml version='1.0'?>"),
        *("<!DOCTYPE html>", "<!DOCTYPE html [<!ENTITY a 'b'>]>", "<head>", "<title>", "</head>"),
        *("<body>", "<body/>", "</body>", "</html>", "<p>", "</p>", "<div class='a'>", "</div>"),
        *("<table><tr><td>", "<b>", "</b>", "<br>", "<script>", "</script>", "<style>"),
        *("<frameset>", "<noframes>", "</noframes>", "<iframe src=a/>", "<svg:a xmlns:svg='b'>"),
        *("<o:p>", "<!--", "-->", "<![CDATA[", "]]>", "<?a", "&amp;", "&a;", "&nbsp;", "&#0;"),
        *("\x00", "\ud800", "\ufeff", "é", "中文", "text ", " hidden", "<", ">", '"', "'", "="),
        "/",
    ]
)
TAG_SOUP = st.lists(PIECES, max_size=40).map("".join)
LABELS = st.text(max_size=4) | st.sampled_from(["{", "}", "\\", "\n", "\x00", "\ud800"])


def parsed_or_error(html: bytes | str, content_type: str | None) -> tuple[object, ...]:
    try:
        page = parse_page(html, "http://example.com/", content_type=content_type)
    except PageError as error:
        return error.outcome, str(error)
    return page.tree, page.encoding, visible_text(page.document)


BYTES = st.binary(max_size=300) | TAG_SOUP.map(lambda soup: soup.encode("utf-8", "replace"))


@pytest.mark.parametrize("pages", [BYTES, st.text(max_size=300) | TAG_SOUP], ids=["bytes", "text"])
@given(data=st.data(), content_type=CONTENT_TYPES)
def test_any_content_gives_a_page_or_a_page_error(
    pages: st.SearchStrategy[bytes | str], data: st.DataObject, content_type: str | None
) -> None:
    html = data.draw(pages)
    assert parsed_or_error(html, content_type) == parsed_or_error(html, content_type)


@given(TAG_SOUP)
def test_the_tree_matches_the_document(html: str) -> None:
    try:
        page = parse_page(html)
    except PageError:
        return
    elements = list(page.document.iter())
    first_nodes = [node - size + 1 for node, size in enumerate(page.tree.sizes.tolist())]
    order = sorted(range(len(first_nodes)), key=lambda node: (first_nodes[node], -node))
    assert [element.tag for element in elements] == [page.tree.labels[node] for node in order]
    assert all(element.tag == element.tag.lower() for element in elements)
    assert page.document.tag == "html"


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_utf8_is_decoded_correctly(text: str) -> None:
    html = f"<p>été, été, été</p>{text}"
    try:
        decoded = decode(html.encode(), "text/html; charset=utf-8")
    except UndecodableError:
        assert sum(character < " " or character == "\x7f" for character in text) > 5
        return
    assert decoded.text == html


@given(trees(40, LABELS))
def test_trees_are_restored_from_bytes_and_bracket_notation(tree: Tree) -> None:
    assert Tree.from_bytes(tree.to_bytes()) == tree
    assert parse_brackets(format_brackets(tree)) == tree
    assert Tree.from_postorder(tree.labels, tree.sizes) == tree
