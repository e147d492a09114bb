from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from benchmarks.distance.compared_trees import ComparedTrees, PageOfTree
from detourage.html import Tree, TreeShape
from detourage.template.comparison_policy import KnownSite, NearestReference, without_far_members
from detourage.template.distance import normalised_distance
from detourage.template.grouping_methods import METHODS
from detourage.template.groups import Grouping, SiteGroups, group_pages, group_site, reference_order
from detourage.template.matrix import Matrix, size_tolerant_distances
from tests.trees import parse_brackets
from tests.unit.template.template_sites import Pages, site_distances

TEMPLATES = [0] * 4 + [1] * 7 + [2] * 4 + [3]
KEYS = [f"https://news.example/{'lmno'[t]}/{i}" for i, t in enumerate(TEMPLATES)]
DISTANCES = site_distances(TEMPLATES, spread=0.3)


def test_groups_are_sorted_by_size_then_by_smallest_key() -> None:
    grouping = group_pages(KEYS, DISTANCES)
    templates = [[TEMPLATES[i] for i in group.members] for group in grouping.groups]
    assert templates == [[1] * 7, [0] * 4, [2] * 4]
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


def test_pages_are_grouped_by_their_trees() -> None:
    article = parse_brackets("{html{body{h1}{p}{p}}}")
    menu = parse_brackets("{html{table{tr{td}{td}}{tr{td}{td}}{tr{td}{td}}}}")
    found = group_site("a.example", list("1234"), [article, menu, article, menu])
    assert [group.members for group in found.grouping.groups] == [(0, 2), (1, 3)]
    assert found.distances[0, 2] == 0
    assert found.distances[0, 1] > 0.5


def size_tolerant_distance(distance: int, a: int, b: int) -> float:
    plain = normalised_distance(distance, a, b)
    matrix = size_tolerant_distances(np.array([[0, plain], [plain, 0]]), [a, b])
    assert matrix[0, 1] == matrix[1, 0]
    return float(matrix[0, 1])


def test_half_of_the_size_difference_is_ignored() -> None:
    assert size_tolerant_distance(200, 100, 300) == pytest.approx(2 * 100 / (400 + 100))


@pytest.mark.parametrize("sizes", [[3], [3, 0], [[3, 4]]])
def test_each_page_needs_a_unique_key_and_a_size(sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="a positive size is required for each of the 2 pages"):
        group_pages(["a", "b"], np.zeros((2, 2)), sizes=sizes)
    with pytest.raises(ValueError, match="same key"):
        group_pages(["a", "a"], np.zeros((2, 2)))


def article_tree(paragraphs: int, comments: int) -> Tree:
    menu = "{ul" + "{li{a}}" * 10 + "}"
    body = "{article{h1}{time}" + "{p}" * paragraphs + "}"
    thread = "{section{h2}" + "{div{b}{i}{p}{a}}" * comments + "}"
    header = "{header{a{img}}" + menu + "}"
    footer = "{footer" + "{a}" * 8 + "}"
    return parse_brackets(
        "{html{head{title}{meta}{meta}}{body" + header + body + thread + footer + "}}"
    )


TREES_OF_ONE_TEMPLATE = [
    article_tree(paragraphs, comments) for paragraphs in (4, 12, 30) for comments in (0, 3, 25)
]
URLS_OF_TREES = [f"https://news.example/{number}" for number in range(len(TREES_OF_ONE_TEMPLATE))]


def test_length_and_number_of_comments_do_not_split_a_template() -> None:
    found = group_site("news.example", URLS_OF_TREES, TREES_OF_ONE_TEMPLATE)
    assert [len(group.members) for group in found.grouping.groups] == [len(TREES_OF_ONE_TEMPLATE)]
    assert len(group_pages(URLS_OF_TREES, found.distances).groups) > 1
    for whole_matrix_trees in range(3, len(TREES_OF_ONE_TEMPLATE)):
        large_site = ComparedTrees()
        pages = pages_of(URLS_OF_TREES, large_site.add(TREES_OF_ONE_TEMPLATE))
        grouping = large_site.group(pages, whole_matrix_trees=whole_matrix_trees)
        assert [len(group.members) for group in grouping.groups] == [len(TREES_OF_ONE_TEMPLATE)]


TWO_DESIGNS = "harbour-post.example"


@pytest.fixture(scope="module")
def site() -> Pages:
    return Pages(TWO_DESIGNS)


def group_labels_of(found: SiteGroups) -> list[int]:
    labels = [-1 - index for index in range(len(found.urls))]  # each outlier has its own label
    for number, group in enumerate(found.grouping.groups):
        for member in group.members:
            labels[member] = number
    return labels


@pytest.fixture(scope="module")
def compared(site: Pages) -> SiteGroups:
    return group_site(TWO_DESIGNS, site.urls, site.trees)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_separates_two_designs_and_menus_from_articles(
    site: Pages, compared: SiteGroups, name: str
) -> None:
    sizes = [len(tree) for tree in site.trees]
    grouping = group_pages(site.urls, compared.distances, sizes=sizes, estimator=METHODS[name]())
    found = SiteGroups(TWO_DESIGNS, compared.urls, compared.distances, grouping)
    assert adjusted_rand_score(site.classes, group_labels_of(found)) == 1
    assert len(grouping.groups) == 6
    for group in grouping.groups:
        assert len({site.kinds[member] for member in group.members}) == 1


def test_near_duplicates_do_not_hide_a_template(site: Pages) -> None:
    original = site.kinds.index("article")
    copies = []
    for node in range(12):
        labels = list(site.trees[original].labels)
        labels[node] = "ins"
        copies.append(Tree.from_postorder(labels, site.trees[original].sizes))
    urls = [*site.urls, *(f"{site.urls[original]}?copy={node}" for node in range(12))]
    found = group_site(TWO_DESIGNS, urls, [*site.trees, *copies])
    classes = [*site.classes, *[site.classes[original]] * 12]
    assert adjusted_rand_score(classes, group_labels_of(found)) == 1


@pytest.mark.parametrize("size", [2, 6, 12])
def test_the_templates_of_a_generated_site_are_found_at_any_size(size: int) -> None:
    pages = Pages("sada-almina.example", size=size)
    found = group_site("sada-almina.example", pages.urls, pages.trees)
    assert len(found.grouping.groups) == 3
    assert adjusted_rand_score(pages.classes, group_labels_of(found)) == 1


FAR, NEAR, SAME = 0.9, 0.1, 0.2


def pages_of(keys: Sequence[str], trees: Sequence[int]) -> list[PageOfTree]:
    return list(map(PageOfTree, keys, trees))


def large_site_of(
    references: Sequence[int], distances: Matrix, nearest: Mapping[int, NearestReference]
) -> KnownSite:
    return KnownSite(references, np.ones(len(references), np.int64), distances, nearest)


def group_by_references(
    keys: Sequence[str],
    trees: Sequence[int],
    references: Sequence[int],
    distances: Matrix,
    nearest: Mapping[int, NearestReference],
) -> Grouping:
    return large_site_of(references, distances, nearest).group(pages_of(keys, trees))


def test_pages_join_the_group_of_their_nearest_reference() -> None:
    distances = np.array(
        [[0, SAME, FAR, FAR], [SAME, 0, FAR, FAR], [FAR, FAR, 0, SAME], [FAR, FAR, SAME, 0]]
    )
    grouping = group_by_references(
        keys=["c", "a", "b", "e", "d", "f", "g"],
        trees=[10, 11, 12, 13, 20, 21, 22],
        references=[10, 11, 12, 13],
        distances=distances,
        nearest={20: (12, NEAR), 21: (12, NEAR), 22: (10, FAR)},
    )
    assert [group.members for group in grouping.groups] == [(2, 4, 3, 5), (1, 0)]
    assert grouping.outliers == (6,)
    assert all(group.pivot in group.members for group in grouping.groups)
    assert np.isnan(grouping.embedding[6]).all()
    assert not np.isnan(grouping.embedding[:6]).any()


def test_the_only_reference_of_a_template_represents_its_pages() -> None:
    distances = np.array([[0, SAME, FAR], [SAME, 0, FAR], [FAR, FAR, 0]])
    without_follower = group_by_references("abc", [1, 2, 3], [1, 2, 3], distances, {})
    assert without_follower.outliers == (2,)
    with_follower = group_by_references("abcd", [1, 2, 3, 4], [1, 2, 3], distances, {4: (3, NEAR)})
    assert [group.members for group in with_follower.groups] == [(0, 1), (2, 3)]
    assert with_follower.groups[1].pivot == 2
    with_equal_tree = group_by_references("abcd", [1, 2, 3, 3], [1, 2, 3], distances, {})
    assert [group.members for group in with_equal_tree.groups] == [(0, 1), (2, 3)]


def test_pages_that_cannot_be_compared_are_outliers() -> None:
    distances = np.array([[0, SAME, np.nan], [SAME, 0, np.nan], [np.nan, np.nan, 0]])
    grouping = group_by_references("abcd", [1, 2, 3, 4], [1, 2, 3], distances, {})
    assert [group.members for group in grouping.groups] == [(0, 1)]
    assert grouping.outliers == (2, 3)


def test_members_too_far_from_the_pivot_are_outliers() -> None:
    distances = np.array([[0, 0.3, 0.3], [0.3, 0, 0.4], [0.3, 0.4, 0]])
    keys, trees, references = "abcdef", [1, 2, 3, 4, 5, 6], [1, 2, 3]
    nearest = {4: (2, 0.1), 5: (2, 0.3), 6: (3, 0.5)}
    grouping = group_by_references(keys, trees, references, distances, nearest)
    (group,) = grouping.groups
    assert (group.members, group.pivot) == ((0, 1, 2, 3, 4, 5), 0)
    shapes = {tree: TreeShape(str(tree), 100) for tree in trees}
    site = large_site_of(references, distances, nearest)
    doubtful = site.doubtful(pages_of(keys, trees), shapes, grouping)
    assert doubtful == {(5, 1), (6, 1)}
    confirmed = without_far_members(grouping, pages_of(keys, trees), {(5, 1): 0.4, (6, 1): 0.5})
    assert [group.members for group in confirmed.groups] == [(0, 1, 2, 3, 4)]
    assert confirmed.outliers == (5,)
    partial = without_far_members(grouping, pages_of(keys, trees), {(5, 1): np.nan, (6, 1): 0.4})
    assert partial.outliers == (4,)


def test_the_reference_of_a_growing_group_changes_only_with_the_year() -> None:
    days = [datetime(2025, 12, 31, tzinfo=UTC) + timedelta(days=day) for day in range(4)]
    pages = [(f"https://a.example/{number}", each) for number, each in enumerate([*days, None])]
    assert reference_order([4, 0], pages) == [0, 4]
    # In a new year, the group is compared with a page of that year.
    first_references = [
        reference_order(range(3, last_excluded, -1), pages)[0] for last_excluded in (2, 1, 0, -1)
    ]
    assert first_references == [3, 2, 1, 1]
    assert reference_order([4, 2, 0, 3, 1], pages) == [1, 2, 3, 0, 4]
