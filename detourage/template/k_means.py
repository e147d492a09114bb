"""k-means for a range of numbers of clusters, with all starts vectorised.

On small sites, scikit-learn's estimator spends most of its time on validating arguments.
"""

from typing import Final

import numpy as np
from scipy.spatial.distance import cdist

from detourage.template.matrix import Indices, Matrix

MAX_STEPS: Final = 300  # maximum number of iterations per run, even if it has not converged


class Starts:
    """Initial centres (`number` sequences of `most` points) for k-means with up to `most` clusters.

    There must be at least `most` distinct points. The same seed produces the same starts with
    every version of NumPy. Source: Arthur and Vassilvitskii, "k-means++: the advantages of careful
    seeding" (2007), section 2.2, with the candidates of section 7.
    """

    def __init__(self, points: Matrix, *, number: int, most: int, seed: int) -> None:
        self._points = points
        random = np.random.RandomState(seed)
        n, candidates = len(points), 2 + int(np.log(most))
        squared = cdist(points, points, "sqeuclidean")
        chosen = np.empty((number, most), dtype=np.int64)
        chosen[:, 0] = random.randint(n, size=number)
        nearest = squared[chosen[:, 0]]
        runs = np.arange(number)
        for centre in range(1, most):
            sums = nearest.cumsum(axis=1)
            marks = random.random_sample((number, candidates)) * sums[:, -1:]
            # Points are drawn with their squared distance as weight; centres have weight 0.
            sampled = (sums[:, None, :] <= marks[:, :, None]).sum(axis=2).clip(max=n - 1)
            reduced = np.minimum(nearest[:, None, :], squared[sampled])
            best = reduced.sum(axis=2).argmin(axis=1)
            chosen[:, centre] = sampled[runs, best]
            nearest = reduced[runs, best]
        self._chosen = chosen

    def cluster(self, k: int) -> Indices:
        """Run k-means from the first k centres of each start; return the tightest clustering.

        Source: Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory
        28 (1982).
        """
        points, centres = self._points, self._points[self._chosen[:, :k]]
        labels = np.full((len(centres), len(points)), -1, dtype=np.int64)
        moving = np.arange(len(centres))
        for _ in range(MAX_STEPS):
            nearest = _nearest(points, centres[moving])
            has_moved = (nearest != labels[moving]).any(axis=1)
            moving, nearest = moving[has_moved], nearest[has_moved]
            if not len(moving):
                break
            labels[moving] = nearest
            centres[moving] = _means(points, nearest, centres[moving])
        deviations = points - np.take_along_axis(centres, labels[:, :, None], axis=1)
        tightest: Indices = labels[(deviations**2).sum(axis=(1, 2)).argmin()]
        return tightest


def _nearest(points: Matrix, centres: Matrix) -> Indices:
    """Return the index of the nearest centre for each start and point."""
    # The term |p|² of |p - c|² = |p|² - 2pc + |c|² is the same for all centres.
    comparable = (centres**2).sum(axis=2)[:, None, :] - 2 * (points @ centres.transpose(0, 2, 1))
    nearest: Indices = comparable.argmin(axis=2)
    return nearest


def _means(points: Matrix, labels: Indices, centres: Matrix) -> Matrix:
    """Return the mean of each cluster; a cluster without points keeps its centre."""
    number, k, dimensions = centres.shape
    clusters = (labels + k * np.arange(number)[:, None]).ravel()  # numbered across all starts
    counts = np.bincount(clusters, minlength=number * k)
    sums = [
        np.bincount(clusters, np.tile(points[:, axis], number), minlength=number * k)
        for axis in range(dimensions)
    ]
    means = np.stack(sums, axis=1) / np.maximum(counts, 1)[:, None]
    moved = np.where(counts[:, None] > 0, means, centres.reshape(-1, dimensions))
    return moved.reshape(centres.shape)
