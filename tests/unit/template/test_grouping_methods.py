"""Properties that every clustering method guarantees, and the published method."""

from copy import copy

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial.distance import pdist, squareform

from detourage.template import clusterer
from detourage.template.clusterer import OUTLIER, MdsKMeans, TemplateClusterer
from detourage.template.grouping_methods import METHODS
from detourage.template.matrix import Matrix
from detourage.template.scaling import classical_scaling, majorise_stress
from tests.unit.template.template_sites import site_distances


@pytest.fixture(params=sorted(METHODS))
def method(request: pytest.FixtureRequest) -> TemplateClusterer:
    return METHODS[request.param]()


@pytest.mark.parametrize(
    ("templates", "spread"),
    [
        *((list(range(count)) * 8, 0.1) for count in (2, 3, 6)),
        *(([0] * size + [1] * 2, 0.1) for size in (2, 30)),
        ([0] * 20 + [1] * 5 + [2] * 3, 0.1),
        *(([0] * size, spread) for size in (2, 3, 30) for spread in (0, 0.02, 0.3)),
        ([0] * 10 + [1] * 10 + [2] * 3, 0),
        ([3, 1, 2, 0] * 6, 0.1),
    ],
)
def test_templates_are_found_and_numbered_by_their_first_pages(
    method: TemplateClusterer, templates: list[int], spread: float
) -> None:
    method.fit(site_distances(templates, spread=spread))
    ordered_templates = list(dict.fromkeys(templates))
    assert method.labels_.tolist() == [ordered_templates.index(template) for template in templates]
    assert method.labels_[method.pivots_].tolist() == [*range(len(ordered_templates))]
    assert (method.silhouette_ > 0.5) if len(ordered_templates) > 1 else (method.silhouette_ == 0)


def test_articles_with_and_without_comments_stay_together(method: TemplateClusterer) -> None:
    distances = site_distances([0] * 12 + [1] * 6)
    distances[:6, 6:12] = distances[6:12, :6] = 0.35
    assert method.fit(distances).labels_.tolist() == [0] * 12 + [1] * 6


@pytest.mark.parametrize(("distance", "groups"), [(0.1, 1), (0.3, 1), (0.6, 0), (1.0, 0)])
def test_two_similar_pages_form_a_group(
    method: TemplateClusterer, distance: float, groups: int
) -> None:
    assert len(method.fit([[0, distance], [distance, 0]]).pivots_) == groups


def test_stray_pages_next_to_a_dominant_template_are_outliers(method: TemplateClusterer) -> None:
    labels = method.fit(site_distances([0] * 20 + [1, 2])).labels_
    assert labels.tolist() == [0] * 20 + [OUTLIER, OUTLIER]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_pages_that_have_nothing_in_common_are_outliers(method: TemplateClusterer, n: int) -> None:
    method.fit(site_distances(range(n)) if n else np.zeros((0, 0)))
    assert method.labels_.tolist() == [OUTLIER] * n
    assert method.pivots_.shape == (0,)


def test_the_pivot_is_the_page_in_the_middle_of_its_group(method: TemplateClusterer) -> None:
    places = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    assert method.fit(np.abs(np.subtract.outer(places, places))).pivots_.tolist() == [2]


def test_a_page_that_could_not_be_compared_is_the_only_outlier(method: TemplateClusterer) -> None:
    distances = site_distances([0] * 6 + [1] * 6)
    distances[3, :] = distances[:, 3] = np.nan
    method.fit(distances)
    assert method.labels_.tolist() == [0, 0, 0, OUTLIER, 0, 0] + [1] * 6
    assert np.isnan(method.embedding_[3]).all()
    assert not np.isnan(np.delete(method.embedding_, 3, axis=0)).any()
    distances = site_distances([0] * 6)
    distances[1, 4] = distances[4, 1] = np.nan
    assert method.fit(distances).labels_.tolist() == [0, 0, 0, 0, OUTLIER, 0]


def test_a_page_too_far_from_its_pivot_leaves_the_group(method: TemplateClusterer) -> None:
    method.max_pivot_distance = 0.01
    assert method.fit(site_distances([0] * 10 + [1] * 10)).labels_.tolist() == [OUTLIER] * 20


def test_the_same_matrix_gives_the_same_result(method: TemplateClusterer) -> None:
    distances = site_distances([0, 1, 2, 3, 4, 5] * 5, spread=0.5)
    unchanged = distances.copy()
    first, second = copy(method).fit(distances), copy(method).fit(distances)
    assert np.array_equal(first.labels_, second.labels_)
    assert np.array_equal(first.embedding_, second.embedding_)
    assert first.silhouette_ == second.silhouette_
    assert np.array_equal(distances, unchanged)


@pytest.mark.parametrize(
    ("matrix", "complaint"),
    [
        (np.zeros((2, 3)), "square"),
        ([[0, 0.2], [0.3, 0]], "symmetric"),
        ([[0, 12], [12, 0]], "between 0 and 1"),
        ([[0, -0.1], [-0.1, 0]], "between 0 and 1"),
        ([[0.5, 0.1], [0.1, 0.5]], "to itself"),
        ([[0, np.nan], [0.1, 0]], "symmetric"),
    ],
)
def test_an_invalid_matrix_is_rejected_with_the_reason(
    method: TemplateClusterer, matrix: npt.ArrayLike, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        method.fit(matrix)


PUBLISHED_METHOD = MdsKMeans(merge_distance=-1, max_pivot_distance=1)


def test_the_published_method_splits_templates_that_form_clusters() -> None:
    distances = np.full((10, 10), 0.02)
    distances[:5, 5:] = distances[5:, :5] = 0.2
    np.fill_diagonal(distances, 0)
    assert len(PUBLISHED_METHOD.fit(distances).pivots_) == 2
    assert len(MdsKMeans().fit(distances).pivots_) == 1


def test_the_published_method_groups_pages_with_nothing_in_common() -> None:
    distances = site_distances([0, 0, 0, 1, 2])
    assert OUTLIER not in PUBLISHED_METHOD.fit(distances).labels_
    assert MdsKMeans().fit(distances).labels_.tolist() == [0, 0, 0, OUTLIER, OUTLIER]


def test_the_number_of_clusters_tried_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusterer, "MAX_CLUSTERS", 2)
    assert len(PUBLISHED_METHOD.fit(site_distances([0, 1, 2, 3] * 5)).pivots_) == 2


def stress_of(distances: Matrix, positions: Matrix) -> float:
    """Return Kruskal's stress-1, which is 0 if the positions reproduce the distances exactly."""
    fitted = squareform(pdist(positions))
    squares = float((fitted**2).sum())
    if not squares:
        return 0.0 if not distances.any() else 1.0
    return float(np.sqrt(((distances - fitted) ** 2).sum() / squares))


def test_points_in_a_plane_are_recovered() -> None:
    points = np.random.default_rng(3).uniform(size=(20, 2))
    distances = squareform(pdist(points))
    positions = classical_scaling(distances)
    assert squareform(pdist(positions)) == pytest.approx(distances)
    assert stress_of(distances, positions) == pytest.approx(0, abs=1e-9)


def test_majorisation_improves_on_classical_scaling() -> None:
    distances = site_distances([0] * 5 + [1] * 5 + [2] * 5 + [3] * 5)
    start = classical_scaling(distances)
    positions = majorise_stress(distances, start)
    assert stress_of(distances, positions) < stress_of(distances, start)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_equal_pages_share_a_position(n: int) -> None:
    zero_distances = np.zeros((n, n))
    positions = majorise_stress(zero_distances, classical_scaling(zero_distances))
    assert np.array_equal(positions, np.zeros((n, 2)))
    assert stress_of(zero_distances, positions) == 0
