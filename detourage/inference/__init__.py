"""Inference with trained models, and their files."""

from detourage.inference.features import Features, NamedColumn, Number, Rows, expect_columns
from detourage.inference.model_files import load_model
from detourage.inference.trees import BoostedTrees

__all__ = [
    "BoostedTrees",
    "Features",
    "NamedColumn",
    "Number",
    "Rows",
    "expect_columns",
    "load_model",
]
