import pytest

from worker.html import parse_page
from worker.html.places import element_at

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
