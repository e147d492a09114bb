"""Multidimensional scaling: positions on a plane that approximate the distances of a matrix."""

from typing import Final

import numpy as np
from scipy.linalg import eigh

from detourage.template.matrix import Matrix

MAX_ITERATIONS: Final = 300  # steps of `majorise_stress`

TOLERANCE: Final = 1e-6
"""Relative reduction of the stress below which no further step is made (measured)."""


def classical_scaling(distances: Matrix) -> Matrix:
    """Return positions computed by Torgerson's classical scaling, centred on the origin.

    The axis with the largest variance comes first. An axis is 0 if its eigenvalue is negative, or
    for a single page. The coordinate farthest from 0 is positive on each axis. Source: Torgerson,
    "Multidimensional scaling: I. Theory and method", Psychometrika 17 (1952).
    """
    n = len(distances)
    dimensions = min(2, n)
    positions = np.zeros((n, 2))
    if n < 2:
        return positions
    squared = distances**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = eigh(-centred / 2, subset_by_index=(n - dimensions, n - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    farthest = vectors[np.abs(vectors).argmax(axis=0), np.arange(dimensions)]
    positions[:, :dimensions] = vectors * np.sign(farthest) * np.sqrt(values.clip(min=0.0))
    return positions


def majorise_stress(distances: Matrix, start: Matrix) -> Matrix:
    """Move positions until the distances between them fit a matrix as well as possible (SMACOF).

    Each step is a Guttman transform, which never increases the stress. Sources: De Leeuw,
    "Applications of convex analysis to multidimensional scaling" (1977); Borg and Groenen, "Modern
    Multidimensional Scaling", chapter 8.
    """
    n = len(distances)
    if n < 2:
        return start.copy()
    positions = start
    fitted = _distances(positions)
    stress = _raw_stress(distances, fitted)
    for _ in range(MAX_ITERATIONS):
        ratios = np.divide(distances, fitted, out=np.zeros_like(fitted), where=fitted > 0)
        moved = (ratios.sum(axis=1)[:, None] * positions - ratios @ positions) / n
        fitted = _distances(moved)
        new_stress = _raw_stress(distances, fitted)
        has_converged = stress - new_stress <= TOLERANCE * stress
        positions, stress = moved, new_stress
        if has_converged:
            break
    return positions


def _distances(positions: Matrix) -> Matrix:
    """Return the distances of positions; SciPy's function spends most of its time on checks."""
    x, y = (np.subtract.outer(axis, axis) for axis in positions.T)
    distances: Matrix = np.sqrt(x * x + y * y)
    return distances


def _raw_stress(distances: Matrix, fitted: Matrix) -> float:
    return float(((distances - fitted) ** 2).sum() / 2)
