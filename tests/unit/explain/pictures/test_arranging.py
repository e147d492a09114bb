"""NumPy alone arranges the pages in the same order as SciPy's clustering."""

import subprocess
import sys

import numpy as np
import numpy.typing as npt
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from detourage.explain.pictures.arranging import order_pages, place_pages
from detourage.template.scaling import classical_scaling, majorise_stress


def distances(pages: int, seed: int) -> npt.NDArray[np.float64]:
    places = np.random.default_rng(seed).random((pages, 4)) * 0.4
    found: npt.NDArray[np.float64] = np.sqrt(((places[:, None] - places) ** 2).sum(axis=-1))
    return found


@pytest.mark.parametrize("pages", [2, 3, 20, 110])
def test_branches_are_those_of_average_linkage(pages: int) -> None:
    among = distances(pages, pages)
    ordered = order_pages(among)
    assert sorted(ordered.order) == list(range(pages))
    heights = sorted(height for _, (_, height, _, _) in ordered.branches)
    expected = linkage(squareform(among), "average")[:, 2]
    assert heights == pytest.approx(expected / expected[-1])


@pytest.mark.parametrize("pages", [0, 1, 2, 3, 20, 110])
def test_pages_are_drawn_at_their_embedded_positions(pages: int) -> None:
    among = distances(pages, pages)
    expected = majorise_stress(among, classical_scaling(among))
    assert np.allclose(place_pages(among), expected, atol=1e-6)


def test_pages_with_equal_trees_are_drawn() -> None:
    alike = np.zeros((5, 5))
    assert sorted(order_pages(alike).order) == list(range(5))
    assert not place_pages(alike).any()


def test_pictures_do_not_need_scipy() -> None:
    program = (
        "import sys, worker.inspector.application;"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'scipy', 'sklearn'}))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert shown.stdout.strip() == b"[]"
