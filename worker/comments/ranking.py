"""The probability that a candidate is the comments of a page.

Boosted trees trained on other sites (``benchmarks/comments/train.py``) weigh what
`worker.comments.features` measures.
"""

from functools import cache
from importlib.resources import files

from worker.boosting import BoostedTrees
from worker.comments.features import COLUMNS

_MODEL = "model.json"


@cache
def trained_model() -> BoostedTrees:
    """Load the classifier.

    Raises
    ------
    RuntimeError
        If its file was trained on other measures than are taken.
    """
    text = files("worker.comments").joinpath(_MODEL).read_text(encoding="utf-8")
    model = BoostedTrees.from_json(text)
    if model.columns != COLUMNS:
        raise RuntimeError(f"{_MODEL} was trained on other measures: train it again")
    return model
