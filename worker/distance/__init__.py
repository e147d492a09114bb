"""Exact tree edit distance between pages."""

from worker.distance.errors import TreeTooLargeError
from worker.distance.matrix import distance_matrix
from worker.distance.normalisation import normalised_distance
from worker.distance.pairs import IMPLEMENTATION, tree_edit_distance

__all__ = [
    "IMPLEMENTATION",
    "TreeTooLargeError",
    "distance_matrix",
    "normalised_distance",
    "tree_edit_distance",
]
