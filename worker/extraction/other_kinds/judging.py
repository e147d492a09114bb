"""The lines of a page that is no article, weighed by a classifier of their own."""

from collections.abc import Mapping

from models.kinds import Kind
from worker.extraction.classification import JudgedLines
from worker.extraction.kinds import likeliest
from worker.learning import BoostedTrees, load_model

NOT_READ_AGAIN: frozenset[Kind] = frozenset({"article", "forum"})
"""Kinds whose pages are read once: articles, and threads, whose posts are their readers'."""


def trained_model() -> BoostedTrees:
    """Return the classifier of lines of pages that are no articles."""
    return load_model(BoostedTrees, "worker.extraction.other_kinds", "model.json").model


def is_read_again(kinds: Mapping[Kind, float]) -> bool:
    """Say whether a page is read by the classifier of this module.

    Parameters
    ----------
    kinds
        How likely it is of each kind, by its first reading.
    """
    return likeliest(kinds) not in NOT_READ_AGAIN


def judge_again(judged: JudgedLines) -> JudgedLines:
    """Weigh the lines of a page that is no article, by the same evidence.

    Parameters
    ----------
    judged
        The lines, as the classifier of articles' lines sees them.
    """
    if not judged.evidence.lines:
        return judged
    return JudgedLines(judged.evidence, trained_model().probabilities(judged.evidence.features))
