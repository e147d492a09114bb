"""Grouping the sample's pages by structure is possible, but not trivial."""

import base64
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from detourage.html import parse_page
from detourage.template.distance import distance_matrix, normalised_distance
from examples.sample_crawl import all_sites, generate

PAGES_PER_TEMPLATE = 5


@cache
def distances(site: str) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.float64]]:
    classes, trees = [], []
    for page in generate(pages_per_template=PAGES_PER_TEMPLATE, sites=[site]):
        if "/one-off/" not in page.gold["template_class"]:
            content = base64.b64decode(page.message["html_base64"])
            header = page.message["content_type"]
            trees.append(parse_page(content, page.gold["url"], content_type=header).tree)
            classes.append(page.gold["template_class"])
    sizes = np.array([len(tree) for tree in trees])
    raw = distance_matrix(trees)
    return np.array(classes), np.asarray(normalised_distance(raw, sizes[:, None], sizes[None, :]))


@pytest.mark.parametrize("site", all_sites())
def test_pages_of_one_template_are_nearer_than_pages_of_two(site: str) -> None:
    classes, matrix = distances(site)
    same = classes[:, None] == classes[None, :]
    within = matrix[same & ~np.eye(len(matrix), dtype=bool)]
    between = matrix[~same]
    assert np.median(within) < 0.35 < np.quantile(between, 0.05)
    assert np.median(between) > 0.45
