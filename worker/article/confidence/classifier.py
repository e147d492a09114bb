"""The probability that the article of a page is right, by trees that weigh what is known of it."""

from worker.article.confidence.evidence import Made, confidence_evidence
from worker.inference import BoostedTrees, load_model

GOOD_F1 = 0.8
"""F1 of its words from which on an article is right."""


def trained_confidence() -> BoostedTrees:
    """Return the classifier of articles."""
    return load_model(BoostedTrees, "worker.article.confidence", "model.json").model


def confidence_of(made: Made) -> float:
    """Return the probability that the F1 of an article's words is at least `GOOD_F1`.

    Parameters
    ----------
    made
        The article, and what is known of how it came about.
    """
    return float(trained_confidence().probabilities(confidence_evidence(made))[0])
