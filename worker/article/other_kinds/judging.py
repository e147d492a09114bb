"""Classification of the lines of pages that are not articles, with dedicated trees.

The network for article lines is used as well: it was trained on such pages as well as on articles,
and sees context that trees do not. On 549 pages of five kinds, the mean of both reaches an F1 of
.779; these trees alone and the article line classifier each reach .771.
"""

from collections.abc import Mapping

from models.kinds import Kind
from worker.article.classification import JudgedLines
from worker.article.kinds import likeliest
from worker.inference import BoostedTrees, load_model

NOT_READ_AGAIN: frozenset[Kind] = frozenset({"article", "forum"})
"""Kinds not read again with these trees: articles, and threads, whose posts are located instead."""

MAX_ARTICLE = 0.07
"""Article probability at which a page is read only once, even if another kind is likelier.

Of 810 articles in dragnet (old blogs), eight are classified as another kind and would each lose .21
of F1 if read again; seven of them are above the limit. Of 476 pages of five other kinds, 115 are
above it; reading these again gains nothing on average.
"""


def trained_model() -> BoostedTrees:
    """Return the shipped line classifier for pages that are not articles."""
    return load_model(BoostedTrees, "worker.article.other_kinds", "model.json").model


def is_read_again(kinds: Mapping[Kind, float]) -> bool:
    """Return whether a page is read again, given the kind probabilities from its first reading."""
    return likeliest(kinds) not in NOT_READ_AGAIN and kinds.get("article", 0.0) < MAX_ARTICLE


def judge_again(judged: JudgedLines) -> JudgedLines:
    """Classify the lines of a page that is not an article, from the same evidence."""
    if not judged.evidence.lines:
        return judged
    again = trained_model().log_odds(judged.evidence.features)
    return JudgedLines(judged.evidence, (again, *judged.log_odds[1:]))
