import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from detourage.template.matrix import Matrix
from detourage.template.scaling import classical_scaling, majorise_stress
from tests.unit.template.template_sites import made_site


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
    distances = made_site([0] * 5 + [1] * 5 + [2] * 5 + [3] * 5)
    start = classical_scaling(distances)
    positions = majorise_stress(distances, start)
    assert stress_of(distances, positions) < stress_of(distances, start)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_equal_pages_share_a_position(n: int) -> None:
    nowhere = np.zeros((n, n))
    positions = majorise_stress(nowhere, classical_scaling(nowhere))
    assert np.array_equal(positions, np.zeros((n, 2)))
    assert stress_of(nowhere, positions) == 0
