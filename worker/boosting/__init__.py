"""Gradient boosted decision trees: learnt elsewhere, evaluated here."""

from worker.boosting.trees import BoostedTrees, Tree

__all__ = ["BoostedTrees", "Tree"]
