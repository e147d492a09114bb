"""Search for candidates: groups of similar elements that may be a page's comments.

CommentsMiner mines repeated subtrees, but misses the comments on half of the pages: the contents of
comments differ, and only their outermost elements share names or positions.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from detourage import core
from detourage.comments.pattern import Signature
from detourage.html.flat import FlatDocument, Integers
from detourage.inference import Features

_FEATURES = (  # in the same order as in ``comments.hpp``
    *("share of readers", "dated records", "records with one date", "records with some words"),
    *("share of the largest", "different records", "different first texts", "levels", "named"),
)


@dataclass(frozen=True, eq=False)
class PageWords:
    """A document, a part of it (`page`), and the numbers of words of the part's texts.

    `by_readers` are the numbers of words expected to be by readers.
    """

    document: FlatDocument
    page: FlatDocument
    words: Integers
    by_readers: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidate:
    """Similar elements, which may be a page's comments.

    Each contains exactly one element with the `signature`, `levels` levels below. `record_indices`
    are the indices of the similar elements.
    """

    signature: Signature
    levels: int
    record_indices: Integers


def find_candidates(words: PageWords) -> tuple[list[Candidate], Features]:
    """Return the groups of two or more elements that share a signature and have readers' words.

    Each element is replaced by its ancestor that contains no other member, because names and dates
    are often outside the element that holds a comment's text. The features have a row for each
    candidate, in which a record counts without the records nested in it.
    """
    found, features = core.candidates(words.document, words.page, words.words, words.by_readers)
    candidates = [
        Candidate(Signature(*signature), levels, np.frombuffer(records, np.int64))
        for *signature, levels, records in found
    ]
    rows = np.frombuffer(features).reshape(-1, len(_FEATURES))
    return candidates, Features(_FEATURES, rows.astype(np.float32))
