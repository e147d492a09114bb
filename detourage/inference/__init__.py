"""Inference with trained models, and their files."""

from detourage.inference.features import Features, NamedColumn, Rows, expect_columns
from detourage.inference.files import load_model
from detourage.inference.trees import BoostedTrees, likelihoods

__all__ = [
    "BoostedTrees",
    "Features",
    "NamedColumn",
    "Rows",
    "expect_columns",
    "likelihoods",
    "load_model",
]
