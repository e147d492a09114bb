"""The silhouette coefficient, as Deturck (2015) writes it."""

import numpy as np
import numpy.typing as npt

from worker.grouping.matrix import Matrix


def silhouette_coefficients(distances: Matrix, labels: npt.ArrayLike) -> Matrix:
    """Tell how much nearer each item is to its own cluster than to the others.

    With ``a`` the mean distance of an item to the others of its cluster and
    ``b`` its smallest distance to an item of another cluster, the coefficient
    is ``1 - a / b`` where ``a < b``, ``0`` where they are equal, and
    ``b / a - 1`` where ``a > b``.

    Parameters
    ----------
    distances
        Symmetric distances, shape (n, n), zero diagonal.
    labels
        Cluster of each item, shape (n,).

    Returns
    -------
    ndarray
        Coefficients in [-1, 1], shape (n,). An item alone in its cluster has
        no ``a``: its coefficient is 0, the neutral value. All are 0 when there
        is a single cluster.

    Notes
    -----
    Rousseeuw's ``b`` is the smallest *mean* distance to another cluster. The
    paper's words, "the smallest dissimilarity of an element with respect to
    the elements in the other clusters", are taken as they stand; a cluster
    then has to stand clear of every foreign item, not of their average.

    References
    ----------
    Deturck (2015), section 4.3; Rousseeuw, "Silhouettes", Journal of Computational
    and Applied Mathematics 20 (1987).
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
