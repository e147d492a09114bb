"""The map of a site is parsed to check what it shows."""

import subprocess
import sys

import numpy as np
import pytest
from lxml import etree

from detourage.template.scaling import classical_scaling, majorise_stress
from inspector.site_map import HEIGHT, WIDTH, MappedPages, draw_map, element, mark, place_pages


def read(picture: str) -> etree._Element:
    return etree.fromstring(picture)


@pytest.mark.parametrize("pages", [0, 1, 2, 3, 20, 110])
def test_pages_are_drawn_at_their_embedded_positions(pages: int) -> None:
    places = np.random.default_rng(pages).random((pages, 4)) * 0.4
    among = np.sqrt(((places[:, None] - places) ** 2).sum(axis=-1))
    expected = majorise_stress(among, classical_scaling(among))
    assert np.allclose(place_pages(among), expected, atol=1e-6)


def test_pictures_do_not_need_scipy() -> None:
    program = (
        "import sys, inspector.application;"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'scipy', 'sklearn'}))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert shown.stdout.strip() == b"[]"


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
