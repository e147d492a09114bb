"""Silhouette coefficient as defined by Deturck (2015)."""

import numpy as np
import numpy.typing as npt

from worker.grouping.matrix import Matrix


def silhouette_coefficients(distances: Matrix, labels: npt.ArrayLike) -> Matrix:
    """Return how much nearer each item is to its own cluster than to the other clusters.

    For the mean distance ``a`` of an item to the others of its cluster, and the smallest distance
    ``b`` to an item of another cluster, the coefficient is ``1 - a / b`` if ``a < b``, ``b / a -
    1`` if ``a > b``, and otherwise 0, as for an item alone in its cluster or a single cluster.

    Rousseeuw ("Silhouettes", Journal of Computational and Applied Mathematics 20, 1987) uses the
    smallest *mean* distance to another cluster as ``b``; the minimum is the wording of Deturck
    (2015, section 4.3), "the smallest dissimilarity of an element with respect to the elements in
    the other clusters".
    """
    clusters, own = np.unique(np.asarray(labels), return_inverse=True)
    coefficients = np.zeros(len(own))
    if len(clusters) < 2:
        return coefficients
    together = own[:, None] == own
    companions = together.sum(axis=1) - 1
    within = np.where(together, distances, 0.0).sum(axis=1) / np.maximum(companions, 1)
    nearest = np.where(together, np.inf, distances).min(axis=1)

    closer = (companions > 0) & (within < nearest)
    farther = (companions > 0) & (within > nearest)
    coefficients[closer] = 1 - within[closer] / nearest[closer]
    coefficients[farther] = nearest[farther] / within[farther] - 1
    return coefficients
