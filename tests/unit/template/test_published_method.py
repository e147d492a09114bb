import numpy as np
import pytest

from detourage.template import clusterer
from detourage.template.clusterer import OUTLIER, MdsKMeans
from tests.unit.template.template_sites import made_site

PAPER = MdsKMeans(merge_distance=-1, max_pivot_distance=1)


def test_the_published_method_splits_templates_that_form_clusters() -> None:
    distances = np.full((10, 10), 0.02)
    distances[:5, 5:] = distances[5:, :5] = 0.2
    np.fill_diagonal(distances, 0)
    assert len(PAPER.fit(distances).pivots_) == 2
    assert len(MdsKMeans().fit(distances).pivots_) == 1


def test_the_published_method_groups_pages_with_nothing_in_common() -> None:
    distances = made_site([0, 0, 0, 1, 2])
    assert OUTLIER not in PAPER.fit(distances).labels_
    assert MdsKMeans().fit(distances).labels_.tolist() == [0, 0, 0, OUTLIER, OUTLIER]


def test_the_number_of_clusters_tried_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusterer, "MAX_CLUSTERS", 2)
    assert len(PAPER.fit(made_site([0, 1, 2, 3] * 5)).pivots_) == 2
