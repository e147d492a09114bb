from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from detourage.explain.site_picture import (
    LEGEND_GROUPS,
    draw,
    draw_distances,
    draw_map,
    reading_order,
)
from detourage.template.groups import group_pages
from detourage.template.sites import SiteGroups
from tests.unit.template.template_sites import made_site


def site_of(templates: list[int], *, unknown: int | None = None) -> SiteGroups:
    urls = tuple(f"https://news.example/{t}/{i}?a=$1&b=$2" for i, t in enumerate(templates))
    distances = made_site(templates)
    if unknown is not None:
        distances[unknown, :] = distances[:, unknown] = np.nan
    return SiteGroups("news.example", urls, distances, group_pages(urls, distances))


SITE = site_of([0, 1, 2, 0, 1, 0, 1, 0, 1, 1], unknown=3)


def test_pages_are_ordered_by_group_with_outliers_last() -> None:
    order = reading_order(SITE.distances, SITE.grouping).tolist()
    assert sorted(order) == list(range(10))
    assert set(order[:5]) == {1, 4, 6, 8, 9}
    assert set(order[5:8]) == {0, 5, 7}
    assert set(order[8:]) == {2, 3}


def test_similar_pages_of_a_group_are_adjacent() -> None:
    distances = np.full((6, 6), 0.3)
    distances[np.ix_([0, 2, 4], [0, 2, 4])] = distances[np.ix_([1, 3, 5], [1, 3, 5])] = 0.05
    np.fill_diagonal(distances, 0)
    order = reading_order(distances, group_pages("abcdef", distances)).tolist()
    assert {frozenset(order[:3]), frozenset(order[3:])} == {
        frozenset({0, 2, 4}),
        frozenset({1, 3, 5}),
    }


def test_equal_pages_are_white_and_unrelated_ones_black() -> None:
    axes = Figure().subplots()
    draw_distances(SITE, axes)
    (image,) = axes.get_images()
    assert image.to_rgba(np.array([0.0, 1.0]))[:, :3].tolist() == [[1, 1, 1], [0, 0, 0]]
    assert len(axes.collections[0].get_paths()) == len(SITE.grouping.groups)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["1", "2", "out"]


def test_the_legend_lists_the_groups_and_the_outliers() -> None:
    axes = Figure().subplots()
    draw_map(SITE, axes)
    legend = axes.get_legend()
    assert legend is not None
    texts = [text.get_text() for text in legend.get_texts()]
    assert [text[:10] for text in texts] == ["1: 5 pages", "2: 3 pages", "2 outliers"]


def test_the_legend_lists_a_limited_number_of_groups() -> None:
    axes = Figure().subplots()
    draw_map(site_of(list(range(LEGEND_GROUPS + 3)) * 2), axes)
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_texts()[-1].get_text() == "and 3 groups more, 6 pages"


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_sites_give_the_same_file(tmp_path: Path, suffix: str) -> None:
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    draw([SITE], one)
    draw([SITE], other)
    assert one.read_bytes() == other.read_bytes()


def test_each_site_has_a_row_in_the_picture(tmp_path: Path) -> None:
    single, double = tmp_path / "single.png", tmp_path / "double.png"
    draw([SITE], single)
    draw([SITE, site_of([0, 0, 1])], double)
    assert imread(double).shape[0] == 2 * imread(single).shape[0]


@pytest.mark.parametrize("templates", [[0], [0, 1], [0, 0], [0, 1, 2]])
def test_small_sites_can_be_drawn(tmp_path: Path, templates: list[int]) -> None:
    draw([site_of(templates)], tmp_path / "small.svg")
    assert (tmp_path / "small.svg").stat().st_size > 0
