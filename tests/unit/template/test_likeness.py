import numpy as np
import pytest

from detourage.html import Tree
from detourage.template.distance import normalised_distance
from detourage.template.groups import group_pages, group_site
from detourage.template.matrix import size_tolerant_distances
from tests.trees import tree_of


def tolerant(distance: int, a: int, b: int) -> float:
    plain = normalised_distance(distance, a, b)
    matrix = size_tolerant_distances(np.array([[0, plain], [plain, 0]]), [a, b])
    assert matrix[0, 1] == matrix[1, 0]
    return float(matrix[0, 1])


def test_half_of_the_surplus_of_the_larger_page_is_ignored() -> None:
    assert tolerant(200, 100, 300) == pytest.approx(2 * 100 / (400 + 100))


@pytest.mark.parametrize("sizes", [[3], [3, 0], [[3, 4]]])
def test_a_size_is_needed_for_each_page(sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="a positive size is required for each of the 2 pages"):
        group_pages(["a", "b"], np.zeros((2, 2)), sizes=sizes)


def page(paragraphs: int, comments: int) -> Tree:
    menu = "{ul" + "{li{a}}" * 10 + "}"
    body = "{article{h1}{time}" + "{p}" * paragraphs + "}"
    thread = "{section{h2}" + "{div{b}{i}{p}{a}}" * comments + "}"
    header = "{header{a{img}}" + menu + "}"
    footer = "{footer" + "{a}" * 8 + "}"
    return tree_of("{html{head{title}{meta}{meta}}{body" + header + body + thread + footer + "}}")


TREES = [page(paragraphs, comments) for paragraphs in (4, 12, 30) for comments in (0, 3, 25)]
URLS = [f"https://news.example/{number}" for number in range(len(TREES))]


def test_length_and_number_of_comments_do_not_split_a_template() -> None:
    found = group_site("news.example", URLS, TREES)
    assert [len(group.members) for group in found.grouping.groups] == [len(TREES)]
    assert len(group_pages(URLS, found.distances).groups) > 1


def test_sizes_follow_their_pages_when_the_order_changes() -> None:
    backwards = group_site("news.example", URLS[::-1], TREES[::-1]).grouping
    (group,) = backwards.groups
    (same,) = group_site("news.example", URLS, TREES).grouping.groups
    assert [URLS[::-1][i] for i in group.members] == [URLS[i] for i in same.members]
    assert URLS[::-1][group.pivot] == URLS[same.pivot]
