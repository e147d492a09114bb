"""The probability that a candidate is the comments of a page.

Boosted trees trained on other sites (``benchmarks/comments/train.py``) weigh what
`worker.comments.features` measures.
"""

from worker.comments.features import COLUMNS
from worker.learning import BoostedTrees, load_trained


def trained_model() -> BoostedTrees:
    """Return the classifier of candidates.

    Raises
    ------
    RuntimeError
        If it was trained on other measures than are taken.
    """
    return load_trained("worker.comments", COLUMNS)
