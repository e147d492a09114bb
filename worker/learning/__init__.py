"""Models that were trained elsewhere: what they weigh, how they are written down and read."""

from worker.learning.features import Features, NamedColumn, Rows, expect_columns
from worker.learning.files import ModelFile, Training, TrainingCorpus, load_model
from worker.learning.trees import BoostedTrees, DecisionTree

__all__ = [
    "BoostedTrees",
    "DecisionTree",
    "Features",
    "ModelFile",
    "NamedColumn",
    "Rows",
    "Training",
    "TrainingCorpus",
    "expect_columns",
    "load_model",
]
