"""Labels that state which lines of a page belong to its gold text."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from benchmarks.evaluation.scores import Gold, matching_blocks, words
from benchmarks.evaluation.scores.records import TextBlock

UNKNOWN = -1
"""Label of a line for which the gold record does not determine whether it belongs to the text."""

MIN_SHARE_IN_GOLD = 0.5
"""Minimum share of a line's words in the gold text for the line to belong to the article."""

MIN_COMMENT_WORDS = 4
"""Minimum number of words in a line that is matched with comments; shorter lines may match by
coincidence."""


def shares_in_gold(
    texts: Sequence[str], gold: Gold, headline: TextBlock | None
) -> npt.NDArray[np.float64]:
    """Return the share of each line's words that an alignment with the gold text matches.

    The headline, which is given to every method, is not matched with the lines.
    """
    wanted = words(gold.text or "")
    title = words(headline.text) if headline is not None else []
    if title and wanted[: len(title)] == title:
        del wanted[: len(title)]
    words_by_line = [words(text) for text in texts]
    matched = np.zeros(sum(map(len, words_by_line)))
    for start, _, size in matching_blocks(
        [word for line in words_by_line for word in line], wanted
    ):
        matched[start : start + size] = 1.0
    ends = np.cumsum([0, *map(len, words_by_line)])
    return np.array(
        [matched[start:end].mean() if end > start else 0.0 for start, end in pairwise(ends)]
    )


def hinted_labels(texts: Sequence[str], gold: Gold) -> npt.NDArray[np.int64]:
    """Label lines that contain a required or forbidden snippet, or are part of a comment.

    Labels are 1 for lines of the article, 0 for lines outside it, and `UNKNOWN` for lines for which
    the gold record indicates neither or both.
    """
    comments = _words_between_spaces(" ".join(comment.text for comment in gold.comments or ()))
    wanted = [_words_between_spaces(snippet) for snippet in gold.wanted]
    unwanted = [_words_between_spaces(snippet) for snippet in gold.unwanted]
    labels: list[int] = []
    for line in map(_words_between_spaces, texts):
        is_wanted = any(snippet in line for snippet in wanted)
        is_unwanted = any(snippet in line for snippet in unwanted) or (
            len(line.split()) >= MIN_COMMENT_WORDS and line in comments
        )
        labels.append(int(is_wanted) if is_wanted != is_unwanted else UNKNOWN)
    return np.array(labels, dtype=np.int64)


def _words_between_spaces(text: str) -> str:
    """Return the words of a text with a space before and after each word."""
    return f" {' '.join(words(text))} "
