"""Inference with trained models, and their files."""

from worker.inference.features import Features, NamedColumn, Rows, expect_columns
from worker.inference.files import load_model
from worker.inference.networks import LineNetwork
from worker.inference.trees import BoostedTrees, likelihoods

__all__ = [
    "BoostedTrees",
    "Features",
    "LineNetwork",
    "NamedColumn",
    "Rows",
    "expect_columns",
    "likelihoods",
    "load_model",
]
