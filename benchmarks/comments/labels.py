"""Training labels that state which groups of elements are the gold comments."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from benchmarks.evaluation.scores.comments import GOOD_PAGE_F1
from benchmarks.evaluation.scores.records import Comment
from benchmarks.evaluation.scores.words import words
from detourage.html.flat import FlatDocument

_Floats = npt.NDArray[np.float64]

MAX_OTHER_CHARACTERS = 800
"""Maximum number of characters that a record has besides its comment (name, date, buttons)."""

RECOGNISED_CHARACTERS = 150
"""Number of leading characters by which a comment is recognised within a record."""

MAX_RECORDS_PER_COMMENT = 4
"""Maximum ratio of a candidate's records to gold comments for the candidate to be correct."""


def score_groups(
    page: FlatDocument, groups: Sequence[Sequence[int]], golds: Sequence[Comment]
) -> _Floats:
    """Score each group of elements by the F1, in percent, of its records matched with comments.

    A record matches a comment if it contains the comment and little else, or if their word F1 is at
    least 0.5. Records are not trimmed; that is the task of the code that reads them.
    """
    texts = ["".join(gold.text.split()) for gold in golds]
    bags = [Counter(words(gold.text)) for gold in golds]
    matches: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    scores = np.zeros(len(groups))
    for number, members in enumerate(groups):
        if len(members) > MAX_RECORDS_PER_COMMENT * len(golds):
            continue
        matches_by_record: list[list[int]] = []
        for member, nested in nested_records(page, members):
            if (member, nested) not in matches:
                text = _text_without(page, member, nested)
                matches[member, nested] = _matching_comments(text, texts, bags)
            matches_by_record.append(matches[member, nested])
        scores[number] = _matched_f1(matches_by_record, len(golds))
    return scores


def is_good(scores: _Floats) -> npt.NDArray[np.bool_]:
    """Return which groups count as correct according to the evaluation of CommentsMiner."""
    return scores >= GOOD_PAGE_F1


def score_group_texts(
    page: FlatDocument, groups: Sequence[Sequence[int]], comment_text: str
) -> _Floats:
    """Score groups of elements by the word F1 (0 to 1) between their text and all comments."""
    wanted = Counter(words(comment_text))
    scores = np.zeros(len(groups))
    for number, members in enumerate(groups):
        found = Counter(
            word
            for member, nested in nested_records(page, members)
            for word in words(_text_without(page, member, nested))
        )
        total = found.total() + wanted.total()
        scores[number] = 2 * (found & wanted).total() / total if total else 0.0
    return scores


def nested_records(page: FlatDocument, members: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    """Map each record to the outermost records nested inside it."""
    nested: dict[int, list[int]] = {member: [] for member in members}
    around: list[int] = []
    for member in members:
        while around and page.ends[around[-1]] <= member:
            around.pop()
        if around:
            nested[around[-1]].append(member)
        around.append(member)
    return [(member, tuple(inner)) for member, inner in nested.items()]


def _text_without(page: FlatDocument, index: int, without: Sequence[int]) -> str:
    """Return an element's text as one line, leaving out inner elements (disjoint and in order)."""
    pieces: list[str] = []
    start = page.text_starts[index]
    for inner in without:
        pieces += page.texts[start : page.text_starts[inner]]
        start = page.text_ends[inner]
    pieces += page.texts[start : page.text_ends[index]]
    return " ".join(pieces)


def _matching_comments(text: str, golds: Sequence[str], bags: Sequence[Counter[str]]) -> list[int]:
    """Return the numbers of the gold comments that a record's text matches."""
    compact_text = "".join(text.split())
    bag = Counter(words(text))
    matching = []
    for number, (gold, wanted) in enumerate(zip(golds, bags, strict=True)):
        contains_comment = (
            len(compact_text) - len(gold) <= MAX_OTHER_CHARACTERS
            and gold[:RECOGNISED_CHARACTERS] in compact_text
        )
        if contains_comment or 4 * (bag & wanted).total() >= bag.total() + wanted.total() > 0:
            matching.append(number)
    return matching


def _matched_f1(edges: Sequence[Sequence[int]], golds: int) -> float:
    """Return the F1, in percent, of the largest one-to-one matching of records and comments."""
    rows = [row for row, columns in enumerate(edges) for _ in columns]
    columns = [column for each in edges for column in each]
    if not rows:
        return 0.0
    graph = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(edges), golds))
    matched = int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())
    return 200.0 * matched / (len(edges) + golds)
