"""Confidence in an extracted article: the probability that its text is correct."""

from worker.article.confidence.classifier import GOOD_F1, confidence_of
from worker.article.confidence.evidence import ExtractedArticle

__all__ = ["GOOD_F1", "ExtractedArticle", "confidence_of"]
