"""Average linkage with a fixed stopping distance."""

import numpy as np

from worker.grouping.clusterer import TemplateClusterer
from worker.grouping.matrix import Indices, Matrix


class AverageLinkage(TemplateClusterer):
    """Group pages by merging the nearest groups until they belong to different templates.

    The pivot of a group is its medoid. This method neither projects pages nor compares numbers of
    clusters: the distance between templates is similar on all sites, so the same limit suits all of
    them.

    Source: Sokal and Michener, "A statistical method for evaluating systematic relationships"
    (1958). Deturck (2015), section 4.3, mentions hierarchical clustering but rejects it because it
    has too many parameters.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        return np.arange(len(distances))
