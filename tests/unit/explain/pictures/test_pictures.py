"""Pictures are parsed to check what they show."""

import zlib
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt
import pytest
from lxml import etree

from detourage.explain.page_parts import fixed_lines, page_parts
from detourage.explain.pictures.arranging import order_pages
from detourage.explain.pictures.groups import mark
from detourage.explain.pictures.heat_map import cell_size, draw_dendrogram, draw_distances
from detourage.explain.pictures.history import DrawnGeneration, draw_history
from detourage.explain.pictures.site_map import HEIGHT, WIDTH, MappedPages, draw_map
from detourage.explain.pictures.svg import element
from detourage.explain.pictures.wireframe import draw_wireframe
from detourage.html import parse_page
from detourage.reader.outline import Outline
from tests.pages import article_html


def read(picture: str) -> etree._Element:
    return etree.fromstring(picture)


def chain(pages: int) -> npt.NDArray[np.float64]:
    """Return distances for which average linkage joins the pages one after another."""
    places = np.cumsum(1 + np.arange(pages))
    distances: npt.NDArray[np.float64] = np.abs(places[:, None] - places) / max(pages**2, 1)
    return distances


def test_external_text_is_escaped() -> None:
    drawn = element("text", '<script>alert("&")</script>', class_='"><script>')
    assert "<script" not in drawn
    assert read(drawn).text == '<script>alert("&")</script>'
    assert read(drawn).get("class") == '"><script>'


def test_36_groups_are_distinguishable_without_their_numbers() -> None:
    looks = {
        (read(mark(n, 0, 0, 1)).get("d"), read(mark(n, 0, 0, 1)).get("class")) for n in range(1, 37)
    }
    assert len(looks) == 36


@pytest.mark.parametrize("pages", [0, 1, 2, 7])
def test_a_map_contains_a_position_for_each_tree(pages: int) -> None:
    places = [MappedPages(1, 3, n == 0, f"/pages/{n}", f"<{n}>") for n in range(pages)]
    positions = (
        np.random.default_rng(0).normal(size=(pages, 2)) if pages > 1 else np.zeros((pages, 2))
    )
    drawn = read(draw_map(positions, places))
    links = drawn.findall("a")
    assert {link.get("href") for link in links} == {place.address for place in places}
    reached = [link.get("href") for link in links if link.get("tabindex") is None]
    assert reached == ["/pages/0"][:pages]
    for link in links:
        path = link.find("path")
        assert path is not None
        x, y = map(
            float, (path.get("transform") or "").split(")")[0].removeprefix("translate(").split()
        )
        assert 0 < x < WIDTH
        assert 0 < y < HEIGHT


def test_a_heat_map_is_an_image_with_a_point_for_each_pair() -> None:
    distances = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, np.nan], [0.5, np.nan, 0.0]])
    png = draw_distances(distances)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    start = png.index(b"IDAT") + 4
    length = int.from_bytes(png[start - 8 : start - 4], "big")
    rows = np.frombuffer(zlib.decompress(png[start : start + length]), np.uint8).reshape(3, 4)
    assert rows[:, 1:].tolist() == [[255, 1, 128], [1, 255, 0], [128, 0, 255]]
    assert not rows[:, 0].any()


def test_similar_pages_are_adjacent() -> None:
    near, far = 0.1, 0.9
    distances = np.array(
        [[0, far, near, far], [far, 0, far, near], [near, far, 0, far], [far, near, far, 0]]
    )
    ordered = order_pages(distances)
    assert {frozenset(ordered.order[:2]), frozenset(ordered.order[2:])} == {
        frozenset({0, 2}),
        frozenset({1, 3}),
    }
    assert len(ordered.branches) == 3


@pytest.mark.parametrize("pages", [0, 1, 2, 400])
def test_a_dendrogram_is_as_tall_as_its_map(pages: int) -> None:
    ordered = order_pages(chain(pages))
    assert sorted(ordered.order) == list(range(pages))
    drawn = read(draw_dendrogram(ordered, [None if n % 3 else 1 for n in range(pages)]))
    assert float(drawn.get("height") or "nan") == pages * cell_size(pages)
    strip = drawn.findall("rect")
    assert sum(float(rect.get("height") or 0) for rect in strip) == pages * cell_size(pages)


def test_generations_are_bars_and_a_new_design_has_a_mark() -> None:
    at = datetime(2024, 5, 1, tzinfo=UTC)
    drawn = read(
        draw_history(
            [
                DrawnGeneration(1, at, [(1, 10)], is_new_design=False),
                DrawnGeneration(2, at, [(1, 10), (2, 30)], is_new_design=True),
            ]
        )
    )
    first, second = drawn.findall("g")
    assert [len(first.findall("rect")), len(second.findall("rect"))] == [1, 2]
    heights = [float(rect.get("height") or 0) for rect in second.findall("rect")]
    assert heights[1] > 2.5 * heights[0]
    assert "a new design" in (second.findtext("title") or "")
    assert "a new design" not in (first.findtext("title") or "")
    assert read(draw_history([])).findall("g") == []


def test_a_wireframe_fills_varying_parts_and_outlines_the_template() -> None:
    pages = [Outline.of(parse_page(article_html(seed)).flat) for seed in range(3)]
    parts = page_parts(pages[0], fixed_lines(pages[0], pages[1:]))
    drawn = read(draw_wireframe(parts, "Wireframe"))
    texts = {
        kind: [
            bar.findtext("title")
            for bar in drawn.findall("path")
            if bar.get("class") == f"bar {kind}"
        ]
        for kind in ("fixed", "varies")
    }
    assert "Section 3" in texts["fixed"]
    assert "Bridge story number 0" in texts["varies"]
    assert len(texts["varies"]) == 6


def test_deeply_nested_tables_do_not_run_out_of_space() -> None:
    nested = "<table><tr><td>a<td>b<td>c<td>d<td>" * 9
    page = Outline.of(parse_page(f"<body>{nested}deep").flat)
    drawn = read(draw_wireframe(page_parts(page, {}), "Wireframe"))
    assert {float(box.get("width") or 0) > 0 for box in drawn.findall("rect")} == {True}
