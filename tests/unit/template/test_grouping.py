import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from detourage.html import Tree
from detourage.template.distance import normalised_distance
from detourage.template.groups import SiteGroups, group_pages, group_site
from detourage.template.matrix import size_tolerant_distances
from detourage.template.methods import METHODS
from tests.trees import tree_of
from tests.unit.template.template_sites import Pages, made_site

TEMPLATES = [0] * 4 + [1] * 7 + [2] * 4 + [3]
KEYS = [f"https://news.example/{'lmno'[t]}/{i}" for i, t in enumerate(TEMPLATES)]
DISTANCES = made_site(TEMPLATES, spread=0.3)


def test_groups_are_sorted_by_size_then_by_smallest_key() -> None:
    grouping = group_pages(KEYS, DISTANCES)
    assert [[KEYS[i][21] for i in group.members] for group in grouping.groups] == [
        ["m"] * 7,
        ["l"] * 4,
        ["n"] * 4,
    ]
    assert grouping.outliers == (15,)
    assert all(group.pivot in group.members for group in grouping.groups)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(len(KEYS))))
def test_the_order_of_arrival_changes_nothing(order: list[int]) -> None:
    sizes = np.arange(10, 10 + len(KEYS))
    expected = group_pages(KEYS, DISTANCES, sizes=sizes)
    keys, distances = [KEYS[i] for i in order], DISTANCES[np.ix_(order, order)]
    arrived = group_pages(keys, distances, sizes=sizes[order])
    assert [
        ([order[i] for i in group.members], order[group.pivot]) for group in arrived.groups
    ] == [(list(group.members), group.pivot) for group in expected.groups]
    assert [order[i] for i in arrived.outliers] == list(expected.outliers)
    assert np.array_equal(arrived.embedding, expected.embedding[order])
    assert arrived.silhouette == expected.silhouette


def test_duplicate_keys_are_rejected() -> None:
    with pytest.raises(ValueError, match="same key"):
        group_pages(["a", "a"], np.zeros((2, 2)))


def test_pages_are_grouped_by_their_trees() -> None:
    article = tree_of("{html{body{h1}{p}{p}}}")
    menu = tree_of("{html{table{tr{td}{td}}{tr{td}{td}}{tr{td}{td}}}}")
    found = group_site("a.example", list("1234"), [article, menu, article, menu])
    assert [group.members for group in found.grouping.groups] == [(0, 2), (1, 3)]
    assert found.distances[0, 2] == 0
    assert found.distances[0, 1] > 0.5


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


TWO_DESIGNS = "harbour-post.example"


@pytest.fixture(scope="module")
def site() -> Pages:
    return Pages(TWO_DESIGNS)


def labels_of(found: SiteGroups) -> list[int]:
    labels = [-1 - place for place in range(len(found.urls))]
    for number, group in enumerate(found.grouping.groups):
        for member in group.members:
            labels[member] = number
    return labels


@pytest.fixture(scope="module")
def compared(site: Pages) -> SiteGroups:
    return group_site(TWO_DESIGNS, site.urls, site.trees)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_two_designs_years_apart_with_menus_among_articles(
    site: Pages, compared: SiteGroups, name: str
) -> None:
    sizes = [len(tree) for tree in site.trees]
    grouping = group_pages(site.urls, compared.distances, sizes=sizes, estimator=METHODS[name]())
    found = SiteGroups(TWO_DESIGNS, compared.urls, compared.distances, grouping)
    assert adjusted_rand_score(site.classes, labels_of(found)) == 1
    assert len(grouping.groups) == 6
    for group in grouping.groups:
        assert len({site.kinds[member] for member in group.members}) == 1


def test_near_duplicates_do_not_hide_a_template(site: Pages) -> None:
    place = site.kinds.index("article")
    copies = []
    for extra in range(12):
        labels = list(site.trees[place].labels)
        labels[extra] = "ins"
        copies.append(Tree.from_postorder(labels, site.trees[place].sizes))
    urls = [*site.urls, *(f"{site.urls[place]}?copy={extra}" for extra in range(12))]
    found = group_site(TWO_DESIGNS, urls, [*site.trees, *copies])
    classes = [*site.classes, *[site.classes[place]] * 12]
    assert adjusted_rand_score(classes, labels_of(found)) == 1


@pytest.mark.parametrize("size", [2, 6, 12])
def test_the_templates_of_a_generated_site_are_found_at_any_size(size: int) -> None:
    pages = Pages("sada-almina.example", size=size)
    found = group_site("sada-almina.example", pages.urls, pages.trees)
    assert len(found.grouping.groups) == 3
    assert adjusted_rand_score(pages.classes, labels_of(found)) == 1
