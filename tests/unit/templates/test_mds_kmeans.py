import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from tests.unit.templates.template_sites import made_site
from worker.templates import OUTLIER, MdsKMeans


def same_partition(labels: npt.ArrayLike, expected: npt.ArrayLike) -> bool:
    return bool(adjusted_rand_score(labels, expected) == 1.0)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_finds_the_templates(count: int) -> None:
    templates = list(range(count)) * 8
    estimator = MdsKMeans().fit(made_site(templates))
    assert same_partition(estimator.labels_, templates)
    assert estimator.n_clusters_ == count
    assert estimator.silhouette_ > 0.5


@pytest.mark.parametrize("sizes", [(30, 2), (20, 5, 3), (2, 2, 2), (12, 12, 2, 2)])
def test_groups_may_be_of_very_different_sizes(sizes: tuple[int, ...]) -> None:
    templates = [template for template, size in enumerate(sizes) for _ in range(size)]
    assert same_partition(MdsKMeans().fit_predict(made_site(templates)), templates)


@pytest.mark.parametrize("n", [2, 3, 10, 40])
@pytest.mark.parametrize("spread", [0.02, 0.2, 0.4])
def test_a_site_of_one_template_is_one_group(n: int, spread: float) -> None:
    estimator = MdsKMeans().fit(made_site([0] * n, spread=spread))
    assert estimator.labels_.tolist() == [0] * n
    assert estimator.silhouette_ == 0


def test_two_wings_of_one_template_are_not_divided_though_each_is_tight() -> None:
    distances = np.full((10, 10), 0.02)
    distances[:5, 5:] = distances[5:, :5] = 0.2
    np.fill_diagonal(distances, 0)
    assert MdsKMeans().fit(distances).n_clusters_ == 1
    assert MdsKMeans(same_template=0, different_templates=0).fit(distances).n_clusters_ == 2


def test_strays_beside_a_dominant_template_are_outliers() -> None:
    labels = MdsKMeans().fit_predict(made_site([0] * 20 + [1, 2]))
    assert labels.tolist() == [0] * 20 + [OUTLIER, OUTLIER]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_pages_that_have_nothing_in_common_are_outliers(n: int) -> None:
    estimator = MdsKMeans().fit(made_site(range(n)))
    assert estimator.labels_.tolist() == [OUTLIER] * n
    assert estimator.pivots_.shape == (0,)


def test_no_page_and_a_single_page() -> None:
    assert MdsKMeans().fit(np.zeros((0, 0))).labels_.shape == (0,)
    assert MdsKMeans().fit([[0.0]]).labels_.tolist() == [OUTLIER]


def test_equal_pages_are_one_group_whose_pivot_is_the_first() -> None:
    estimator = MdsKMeans().fit(np.zeros((5, 5)))
    assert estimator.labels_.tolist() == [0] * 5
    assert estimator.pivots_.tolist() == [0]


def test_copies_do_not_hide_the_templates() -> None:
    templates = [0] * 10 + [1] * 10 + [2] * 3
    assert same_partition(MdsKMeans().fit_predict(made_site(templates, spread=0)), templates)


def test_the_pivot_is_the_page_in_the_middle_of_its_group() -> None:
    places = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    estimator = MdsKMeans().fit(np.abs(np.subtract.outer(places, places)))
    assert estimator.pivots_.tolist() == [2]


def test_every_pivot_is_of_its_group() -> None:
    estimator = MdsKMeans().fit(made_site([0, 1, 2, 3] * 6))
    assert estimator.labels_[estimator.pivots_].tolist() == [0, 1, 2, 3]


def test_a_page_that_could_not_be_compared_is_an_outlier() -> None:
    distances = made_site([0] * 6 + [1] * 6)
    distances[3, :] = distances[:, 3] = np.nan
    estimator = MdsKMeans().fit(distances)
    assert estimator.labels_.tolist() == [0, 0, 0, OUTLIER, 0, 0] + [1] * 6
    assert np.isnan(estimator.embedding_[3]).all()
    assert not np.isnan(np.delete(estimator.embedding_, 3, axis=0)).any()


def test_one_unknown_distance_costs_one_page() -> None:
    distances = made_site([0] * 6)
    distances[1, 4] = distances[4, 1] = np.nan
    assert MdsKMeans().fit_predict(distances).tolist() == [0, 0, 0, 0, OUTLIER, 0]


def test_a_page_too_far_from_its_pivot_leaves_the_group() -> None:
    distances = made_site([0] * 10 + [1] * 10)
    strict = MdsKMeans(max_pivot_distance=0.01).fit(distances)
    assert strict.labels_.tolist() == [OUTLIER] * 20


def test_the_same_matrix_gives_the_same_result() -> None:
    distances = made_site([0, 1, 2, 3, 4, 5] * 5, spread=0.5)
    first, again = MdsKMeans().fit(distances), MdsKMeans().fit(distances)
    assert np.array_equal(first.labels_, again.labels_)
    assert np.array_equal(first.embedding_, again.embedding_)
    assert first.silhouette_ == again.silhouette_


def test_follows_the_conventions_of_scikit_learn() -> None:
    estimator = MdsKMeans(n_components=3, max_clusters=4, random_state=7)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    fitted = copy.fit(made_site([0, 1] * 5))
    assert fitted is copy
    assert fitted.n_features_in_ == 10
    assert fitted.embedding_.shape == (10, 3)


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
def test_says_what_is_wrong_with_a_matrix(matrix: list[list[float]], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        MdsKMeans().fit(matrix)
