"""Estimation of the probability that a candidate consists of a page's comments.

Boosted trees, trained on other sites (``benchmarks/comments/train.py``), weigh the features of
`worker.comments.features`.
"""

from worker.inference import BoostedTrees, load_model


def trained_model() -> BoostedTrees:
    """Return the shipped classifier of candidates."""
    return load_model(BoostedTrees, "worker.comments", "model.json")
