import numpy as np

from tests.unit.grouping.template_sites import made_site
from worker.grouping.clusterer import OUTLIER
from worker.grouping.kmeans import MdsKMeans

PAPER = MdsKMeans(merge_distance=-1, max_pivot_distance=1)


def test_the_published_method_splits_templates_that_form_clusters() -> None:
    distances = np.full((10, 10), 0.02)
    distances[:5, 5:] = distances[5:, :5] = 0.2
    np.fill_diagonal(distances, 0)
    assert PAPER.fit(distances).n_clusters_ == 2
    assert MdsKMeans().fit(distances).n_clusters_ == 1


def test_the_published_method_groups_pages_with_nothing_in_common() -> None:
    distances = made_site([0, 0, 0, 1, 2])
    assert OUTLIER not in PAPER.fit_predict(distances)
    assert MdsKMeans().fit_predict(distances).tolist() == [0, 0, 0, OUTLIER, OUTLIER]


def test_the_number_of_clusters_tried_is_bounded() -> None:
    few = MdsKMeans(max_clusters=2, merge_distance=-1, max_pivot_distance=1)
    assert few.fit(made_site([0, 1, 2, 3] * 5)).n_clusters_ == 2


def test_the_projection_may_have_more_dimensions() -> None:
    assert MdsKMeans(n_components=5).fit(made_site([0, 1] * 5)).embedding_.shape == (10, 5)
