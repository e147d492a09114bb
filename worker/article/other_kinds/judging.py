"""The lines of a page that is no article, weighed by trees of their own.

The network that weighs an article's lines has its say here, too: it was trained on such pages
beside articles, and sees what trees do not. On 549 pages of five kinds the mean of both has an F1
of .779, these trees alone have .771, as has the classifier of articles' lines.
"""

from collections.abc import Mapping

from models.kinds import Kind
from worker.article.classification import JudgedLines
from worker.article.kinds import likeliest
from worker.inference import BoostedTrees, load_model

NOT_READ_AGAIN: frozenset[Kind] = frozenset({"article", "forum"})
"""Kinds whose pages are read once: articles, and threads, whose posts are their readers'."""

MAX_ARTICLE = 0.07
"""Probability of being an article from which on a page is read once, whatever else is likelier.

Of 810 articles of dragnet, old blogs, eight are likelier something else and lose .21 of F1 each by
being read again; seven of them are above. Of 476 pages of five other kinds 115 are above, which
gain nothing by it in the mean.
"""


def trained_model() -> BoostedTrees:
    """Return the classifier of lines of pages that are no articles."""
    return load_model(BoostedTrees, "worker.article.other_kinds", "model.json").model


def is_read_again(kinds: Mapping[Kind, float]) -> bool:
    """Say whether a page is read by the classifier of this module.

    Parameters
    ----------
    kinds
        How likely it is of each kind, by its first reading.
    """
    return likeliest(kinds) not in NOT_READ_AGAIN and kinds.get("article", 0.0) < MAX_ARTICLE


def judge_again(judged: JudgedLines) -> JudgedLines:
    """Weigh the lines of a page that is no article, by the same evidence.

    Parameters
    ----------
    judged
        The lines, as the classifier of articles' lines sees them.
    """
    if not judged.evidence.lines:
        return judged
    again = trained_model().log_odds(judged.evidence.features)
    return JudgedLines(judged.evidence, (again, *judged.log_odds[1:]))
