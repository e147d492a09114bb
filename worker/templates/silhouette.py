"""The silhouette coefficient, as paper 000 computes it."""

import numpy as np
import numpy.typing as npt

from worker.templates.scaling import Matrix


def silhouette_coefficients(distances: Matrix, labels: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Tell how much nearer each item is to its own cluster than to the next one.

    With ``a`` the mean distance of an item to the others of its cluster and
    ``b`` the smallest mean distance to the items of another cluster, the
    coefficient is ``1 - a / b`` where ``a < b``, ``0`` where they are equal, and
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

    References
    ----------
    Paper 000, section 4.3; Rousseeuw, "Silhouettes", Journal of Computational
    and Applied Mathematics 20 (1987).
    """
    clusters, own = np.unique(np.asarray(labels), return_inverse=True)
    n = len(own)
    coefficients = np.zeros(n)
    if len(clusters) < 2:
        return coefficients
    items = np.arange(n)
    membership = own[:, None] == np.arange(len(clusters))
    sizes = membership.sum(axis=0)
    sums = distances @ membership.astype(np.float64)
    within = sums[items, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[items, own] = np.inf
    nearest = means.min(axis=1)

    accompanied = sizes[own] > 1
    closer = accompanied & (within < nearest)
    farther = accompanied & (within > nearest)
    coefficients[closer] = 1 - within[closer] / nearest[closer]
    coefficients[farther] = nearest[farther] / within[farther] - 1
    return coefficients
