"""Gradient boosted decision trees: learnt elsewhere, evaluated here."""

from worker.boosting.trained import load_trained
from worker.boosting.trees import BoostedTrees, Tree

__all__ = ["BoostedTrees", "Tree", "load_trained"]
