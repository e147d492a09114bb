"""Confidence in an extracted article: the probability that its text is correct."""

from detourage.inference import BoostedTrees, load_model
from detourage.reader.confidence.evidence import ExtractedArticle, confidence_evidence

__all__ = ["GOOD_F1", "ExtractedArticle", "confidence_of"]


GOOD_F1 = 0.8
"""Minimum word F1 at which an article counts as correct."""


def trained_confidence() -> BoostedTrees:
    """Return the shipped confidence model."""
    return load_model(BoostedTrees, "detourage.reader.confidence", "model.json")


def confidence_of(made: ExtractedArticle) -> float:
    """Return the probability that the article's word F1 is at least `GOOD_F1`."""
    return float(trained_confidence().probabilities(confidence_evidence(made))[0])
