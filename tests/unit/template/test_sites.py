from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from detourage.html import Tree
from detourage.template import groups
from detourage.template.distance import TreeTooLargeError, distance_matrix
from detourage.template.groups import group_site
from tests.trees import tree_of

ARTICLE = "{html{body{h1}{p}{p}}}"
MENU = "{html{table{tr{td}{td}}{tr{td}{td}}{tr{td}{td}}}}"


def trees(*brackets: str) -> list[Tree]:
    return [tree_of(each) for each in brackets]


def test_groups_pages_by_their_trees() -> None:
    found = group_site("a.example", ["1", "2", "3", "4"], trees(ARTICLE, MENU, ARTICLE, MENU))
    assert [group.members for group in found.grouping.groups] == [(0, 2), (1, 3)]
    assert found.distances[0, 2] == 0
    assert found.distances[0, 1] > 0.5


def test_a_page_too_large_to_compare_is_an_outlier(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(compared: Sequence[Tree], **options: Any) -> npt.NDArray[np.int32]:
        large = [place for place, tree in enumerate(compared) if len(tree) > 6]
        if large:
            raise TreeTooLargeError("too large", large)
        return distance_matrix(compared, **options)

    monkeypatch.setattr(groups, "distance_matrix", refusing)
    found = group_site("a.example", ["1", "2", "3"], trees(ARTICLE, MENU, ARTICLE))
    assert found.grouping.outliers == (1,)
    assert np.isnan(found.distances[1, [0, 2]]).all()
    assert found.grouping.groups[0].members == (0, 2)
