import pytest

from detourage.html import parse_page
from detourage.html.nodes import Paths, element_at, index_at

DOCUMENT = parse_page(
    "<div><p>One.</p><fb:like><p>Two.</p><p><x-b.c>Three.</x-b.c></p></fb:like></div><div>Four.</div>"
).document


def test_every_element_is_found_at_its_own_path() -> None:
    tree = DOCUMENT.getroottree()
    elements = list(DOCUMENT.iter())
    assert len(elements) > 8
    assert [element_at(DOCUMENT, tree.getpath(element)) for element in elements] == elements


@pytest.mark.parametrize("path", ["/html/body/div[3]", "/html/body/fb:like/p", "/html/head/title"])
def test_a_missing_element_is_not_found(path: str) -> None:
    assert element_at(DOCUMENT, path) is None


def test_paths_have_a_rank_only_among_siblings_with_the_same_tag() -> None:
    page = parse_page(b"<div><p>1</p><ul><li>2</li></ul><p>3 <b>4</b></p></div>")
    paths = Paths.of(page.flat)
    div, bold = page.flat.tags.index("div"), page.flat.tags.index("b")
    assert paths.path(bold) == "/html/body/div/p[2]/b"
    assert paths.path(bold, div) == "p[2]/b"
    assert paths.path(div, div) == ""


def test_names_that_are_not_of_html_are_compared_as_text() -> None:
    page = parse_page("<fb:like><p>1</p></fb:like><fb:like><svg><a>2</a></svg></fb:like>").flat
    paths = [Paths.of(page).path(page.tags.index(tag)) for tag in ("p", "a")]
    like = "/html/body/*[name()='fb:like']"
    assert paths == [f"{like}[1]/p", f"{like}[2]/*[name()='svg']/*[name()='a']"]
    assert [page.tags[index_at(page, path) or 0] for path in paths] == ["p", "a"]
