"""Average linkage with a fixed stopping distance."""

import numpy as np

from worker.grouping.clusterer import TemplateClusterer
from worker.grouping.matrix import Indices, Matrix


class AverageLinkage(TemplateClusterer):
    """Group pages by merging the nearest groups until they belong to different templates.

    The base class does the merging, with one limit for all sites. Source: Sokal and Michener, "A
    statistical method for evaluating systematic relationships" (1958); rejected by Deturck (2015),
    section 4.3, for its number of parameters.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        return np.arange(len(distances))
