"""Inference with trained models, and their files."""

from worker.inference.features import Features, NamedColumn, Rows, expect_columns
from worker.inference.files import ModelFile, Training, TrainingCorpus, load_model
from worker.inference.networks import LineNetwork
from worker.inference.trees import BoostedTrees, DecisionTree, likelihoods

__all__ = [
    "BoostedTrees",
    "DecisionTree",
    "Features",
    "LineNetwork",
    "ModelFile",
    "NamedColumn",
    "Rows",
    "Training",
    "TrainingCorpus",
    "expect_columns",
    "likelihoods",
    "load_model",
]
