"""Tree edit distances between pages."""

from detourage.template.distance.forest import NOT_COMPUTED, TOO_LARGE, TreeTooLargeError
from detourage.template.distance.measures import (
    edit_mapping,
    grouping_distances,
    normalised_distance,
    tree_edit_distance,
)
from detourage.template.distance.nearest import KnownNearest, Nearest, nearest_of_changed
from detourage.template.distance.pair_blocks import PairBlock, blocks_of_missing, blocks_to_compare

__all__ = [
    "NOT_COMPUTED",
    "TOO_LARGE",
    "KnownNearest",
    "Nearest",
    "PairBlock",
    "TreeTooLargeError",
    "blocks_of_missing",
    "blocks_to_compare",
    "edit_mapping",
    "grouping_distances",
    "nearest_of_changed",
    "normalised_distance",
    "tree_edit_distance",
]
