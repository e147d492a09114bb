"""Exact tree edit distance between pages."""

from worker.distance.errors import TreeTooLargeError
from worker.distance.forest import IMPLEMENTATION
from worker.distance.matrix import distance_matrix, distances_between
from worker.distance.normalisation import normalised_distance
from worker.distance.pairs import distance_bounds, edit_mapping, tree_edit_distance

__all__ = [
    "IMPLEMENTATION",
    "TreeTooLargeError",
    "distance_bounds",
    "distance_matrix",
    "distances_between",
    "edit_mapping",
    "normalised_distance",
    "tree_edit_distance",
]
