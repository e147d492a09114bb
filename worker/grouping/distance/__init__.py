"""Exact tree edit distances between pages."""

from worker.grouping.distance.blocks import PairBlock, blocks_of_missing, blocks_to_compare
from worker.grouping.distance.errors import LEFT, TOO_LARGE, TreeTooLargeError
from worker.grouping.distance.forest import IMPLEMENTATION
from worker.grouping.distance.matrix import distance_matrix
from worker.grouping.distance.nearest import (
    KnownNearest,
    Nearest,
    nearest_of_changed,
)
from worker.grouping.distance.normalisation import normalised_distance
from worker.grouping.distance.pairs import edit_mapping, tree_edit_distance

__all__ = [
    "IMPLEMENTATION",
    "LEFT",
    "TOO_LARGE",
    "KnownNearest",
    "Nearest",
    "PairBlock",
    "TreeTooLargeError",
    "blocks_of_missing",
    "blocks_to_compare",
    "distance_matrix",
    "edit_mapping",
    "nearest_of_changed",
    "normalised_distance",
    "tree_edit_distance",
]
