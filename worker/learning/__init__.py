"""Gradient boosted decision trees: learnt elsewhere, evaluated here."""

from worker.learning.trained import load_trained
from worker.learning.trees import BoostedTrees, Tree

__all__ = ["BoostedTrees", "Tree", "load_trained"]
