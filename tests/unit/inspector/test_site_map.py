"""The map of a site, parsed to check what it shows, and the changes between two trees."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from lxml import etree

from detourage.html import Tree, parse_page
from detourage.template.distance import tree_edit_distance
from detourage.template.scaling import classical_scaling, majorise_stress
from inspector.site_map import HEIGHT, WIDTH, MappedPages, draw_map, element, mark, place_pages
from inspector.tree_changes import TreeLine, element_names, tree_changes
from tests.pages import article_html
from tests.property.template.distance.trees import trees
from tests.trees import parse_brackets


def parse_svg(picture: str) -> etree._Element:
    return etree.fromstring(picture)


@pytest.mark.parametrize("pages", [0, 1, 2, 3, 20, 110])
def test_pages_are_drawn_at_their_embedded_positions(pages: int) -> None:
    points = np.random.default_rng(pages).random((pages, 4)) * 0.4
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=-1))
    expected = majorise_stress(distances, classical_scaling(distances))
    assert np.allclose(place_pages(distances), expected, atol=1e-6)


def test_pictures_do_not_need_scipy() -> None:
    program = (
        "import sys, inspector.application;"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'scipy', 'sklearn'}))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert result.stdout.strip() == b"[]"


def test_external_text_is_escaped() -> None:
    svg = element("text", '<script>alert("&")</script>', class_='"><script>')
    assert "<script" not in svg
    assert parse_svg(svg).text == '<script>alert("&")</script>'
    assert parse_svg(svg).get("class") == '"><script>'


def test_36_groups_are_distinguishable_without_their_numbers() -> None:
    looks = {
        (parse_svg(mark(n, 0, 0, 1)).get("d"), parse_svg(mark(n, 0, 0, 1)).get("class"))
        for n in range(1, 37)
    }
    assert len(looks) == 36


@pytest.mark.parametrize("pages", [0, 1, 2, 7])
def test_a_map_contains_a_position_for_each_tree(pages: int) -> None:
    mapped_pages = [MappedPages(1, 3, n == 0, f"/pages/{n}", f"<{n}>") for n in range(pages)]
    positions = (
        np.random.default_rng(0).normal(size=(pages, 2)) if pages > 1 else np.zeros((pages, 2))
    )
    svg = parse_svg(draw_map(positions, mapped_pages))
    links = svg.findall("a")
    assert {link.get("href") for link in links} == {place.address for place in mapped_pages}
    reachable = [link.get("href") for link in links if link.get("tabindex") is None]
    assert reachable == ["/pages/0"][:pages]
    for link in links:
        path = link.find("path")
        assert path is not None
        x, y = map(
            float, (path.get("transform") or "").split(")")[0].removeprefix("translate(").split()
        )
        assert 0 < x < WIDTH
        assert 0 < y < HEIGHT


def test_differences_are_listed_in_document_order() -> None:
    changes = tree_changes(
        parse_brackets("{html{head{title}{meta}}{body{h1}{p}{p}{p}}}"),
        parse_brackets("{html{head{title}{meta}}{body{div{ul{li}}}{h2}{p}{p}{p}}}"),
    )
    assert (changes.removed, changes.added, changes.renamed, changes.distance) == (0, 3, 1, 4)
    assert changes.lines == [
        TreeLine("same", 0, "html", 1),
        TreeLine("same", 1, "", 3),
        TreeLine("same", 1, "body", 1),
        TreeLine("added", 2, "div", 3),
        TreeLine("renamed", 2, "h1 → h2", 1),
        TreeLine("same", 2, "", 3),
    ]


@given(trees(), trees())
def test_every_element_is_counted_once_and_changes_add_up_to_the_distance(a: Tree, b: Tree) -> None:
    changes = tree_changes(a, b)
    assert changes.distance == tree_edit_distance(a, b)
    elements = {"same": 0, "removed": 0, "added": 0, "renamed": 0}
    for line in changes.lines:
        elements[line.sign] += line.elements
    assert elements["removed"] == changes.removed
    assert elements["added"] == changes.added
    assert elements["renamed"] == changes.renamed
    assert elements["same"] + changes.renamed + changes.removed == len(a)


def test_elements_are_named_by_tag_id_and_classes() -> None:
    page = parse_page("<body><div id=main class='a b c'><p>One</p></div>", "https://news.example/")
    assert element_names(page) == ["html", "head", "body", "div#main.a.b", "p"]
    page = parse_page(article_html(1))
    assert len(element_names(page)) == len(page.tree)
