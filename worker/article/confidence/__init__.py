"""Confidence in an extracted article: the probability that its words are right."""

from worker.article.confidence.classifier import GOOD_F1, confidence_of
from worker.article.confidence.evidence import Made

__all__ = ["GOOD_F1", "Made", "confidence_of"]
