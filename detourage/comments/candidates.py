"""Search for candidates: groups of similar elements that may be a page's comments.

CommentsMiner searches for repeated subtrees, and therefore misses the comments on half of the
pages: the inner elements of comments differ, and only the outermost ones share names or positions.
"""

import numpy as np
import numpy.typing as npt

from detourage import core
from detourage.comments.pattern import Signature
from detourage.html.flat import FlatDocument, Integers
from detourage.inference import Features
from detourage.records import record

_FEATURES = (  # in the same order as in ``comments.hpp``
    *("share of readers", "dated records", "records with one date", "records with some words"),
    *("share of the largest", "different records", "different first texts", "levels", "named"),
)


@record
class PageWords:
    """A document, a part of it (`page`), and the number of words in each text of the part.

    `by_readers` has, for each text, the expected number of words that readers wrote.
    """

    document: FlatDocument
    page: FlatDocument
    words: Integers
    by_readers: npt.NDArray[np.float64]


@record
class Candidate:
    """Similar elements (records), each of which may contain one of a page's comments.

    Each record contains exactly one element with the `signature`, `levels` levels below the record.
    `record_indices` are the indices of the records.
    """

    signature: Signature
    levels: int
    record_indices: Integers


def find_candidates(words: PageWords) -> tuple[list[Candidate], Features]:
    """Return groups of at least two elements that share a signature and contain readers' words.

    Each element is replaced by its outermost ancestor that contains no other element of the group,
    because names and dates are often outside the element with a comment's text. The features have
    one row per candidate; those of a record leave out the records nested in it.
    """
    found, features = core.candidates(words.document, words.page, words.words, words.by_readers)
    candidates = [
        Candidate(Signature(*signature), levels, np.frombuffer(records, np.int64))
        for *signature, levels, records in found
    ]
    rows = np.frombuffer(features).reshape(-1, len(_FEATURES))
    return candidates, Features(_FEATURES, rows.astype(np.float32))
