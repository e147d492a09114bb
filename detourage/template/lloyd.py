"""k-means for a range of numbers of clusters, with all starts vectorised.

On small sites, scikit-learn's estimator spends most of its time on validating arguments.
"""

from typing import Final

import numpy as np
from scipy.spatial.distance import cdist

from detourage.template.matrix import Indices, Matrix

MAX_STEPS: Final = 300  # steps per run; after the last, its clustering is used as it is


class Starts:
    """Initial centres for at most `most` clusters; k clusters use the first k.

    There must be at least `most` distinct positions. The same seed produces the same starts with
    every version of NumPy. Source: Arthur and Vassilvitskii, "k-means++: the advantages of careful
    seeding" (2007), section 2.2, with the candidates of section 7.
    """

    def __init__(self, points: Matrix, *, number: int, most: int, seed: int) -> None:
        self._points = points
        drawn = np.random.RandomState(seed)
        n, candidates = len(points), 2 + int(np.log(most))
        squared = cdist(points, points, "sqeuclidean")
        chosen = np.empty((number, most), dtype=np.int64)
        chosen[:, 0] = drawn.randint(n, size=number)
        nearest = squared[chosen[:, 0]]
        runs = np.arange(number)
        for place in range(1, most):
            sums = nearest.cumsum(axis=1)
            marks = drawn.random_sample((number, candidates)) * sums[:, -1:]
            # The first point whose sum exceeds the mark, never a centre: centres have weight 0.
            found = (sums[:, None, :] <= marks[:, :, None]).sum(axis=2).clip(max=n - 1)
            reduced = np.minimum(nearest[:, None, :], squared[found])
            best = reduced.sum(axis=2).argmin(axis=1)
            chosen[:, place] = found[runs, best]
            nearest = reduced[runs, best]
        self._chosen = chosen

    def cluster(self, k: int) -> Indices:
        """Return the cluster of each point in the tightest clustering into k among all starts.

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
        away = points - np.take_along_axis(centres, labels[:, :, None], axis=1)
        tightest: Indices = labels[(away**2).sum(axis=(1, 2)).argmin()]
        return tightest


def _nearest(points: Matrix, centres: Matrix) -> Indices:
    """Return the nearest centre of each point, shape (starts, points)."""
    # Only those terms of |p - c|² that differ between centres are computed.
    differing = (centres**2).sum(axis=2)[:, None, :] - 2 * (points @ centres.transpose(0, 2, 1))
    nearest: Indices = differing.argmin(axis=2)
    return nearest


def _means(points: Matrix, labels: Indices, before: Matrix) -> Matrix:
    """Return the mean of each cluster; a cluster without points keeps its centre."""
    number, k, dimensions = before.shape
    slots = (labels + k * np.arange(number)[:, None]).ravel()
    counts = np.bincount(slots, minlength=number * k)
    sums = [
        np.bincount(slots, np.tile(points[:, axis], number), minlength=number * k)
        for axis in range(dimensions)
    ]
    means = np.stack(sums, axis=1) / np.maximum(counts, 1)[:, None]
    kept = np.where(counts[:, None] > 0, means, before.reshape(-1, dimensions))
    return kept.reshape(before.shape)
