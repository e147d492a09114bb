"""Exact tree edit distances between pages."""

from detourage.template.distance.blocks import PairBlock, blocks_of_missing, blocks_to_compare
from detourage.template.distance.errors import LEFT, TOO_LARGE, TreeTooLargeError
from detourage.template.distance.forest import IMPLEMENTATION
from detourage.template.distance.matrix import distance_matrix
from detourage.template.distance.nearest import (
    KnownNearest,
    Nearest,
    nearest_of_changed,
)
from detourage.template.distance.normalisation import normalised_distance
from detourage.template.distance.pairs import edit_mapping, tree_edit_distance

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
