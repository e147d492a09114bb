"""Comment patterns, which are learnt from the comments on one page to find those on other pages."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from detourage import core
from detourage.html.flat import FlatDocument

MIN_TRUST = 0.5
"""Minimum confidence of a pattern that is applied to other pages of the template.

A pattern with less confidence often matches a teaser box, which is on every page of the template.
The value was chosen on the ``dragnet`` corpus.
"""


class Signature(NamedTuple):
    """Properties that elements of the same kind share.

    `name` is ``.class``, ``#id`` or ``[kind]`` (of microdata), with numbers replaced by ``#``.
    Several classes are sorted, as in ``.one.two``. `path` consists of the tags from the root down
    to the element, separated by ``/``. If the pattern depends on only one of `name` and `path`, the
    other is empty.
    """

    tag: str
    name: str
    path: str


@dataclass(frozen=True)
class CommentPattern:
    """A rule for finding the comments on a page or on the pages of a template.

    Exactly one element in each comment, and no other element, has the `signature`, which is None
    if no comments were found. `levels` is the number of levels from that element up to the
    comment's outermost element. `confidence` is the probability that the pattern is correct.
    """

    signature: Signature | None
    levels: int
    confidence: float

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Parse a pattern serialised by `to_json`; raise ValueError if the text is not one."""
        try:
            parts, levels, confidence = json.loads(text)
            signature = None if parts is None else _read_signature(parts)
            return cls(signature, int(levels), float(confidence))
        except (OverflowError, RecursionError, TypeError) as error:
            raise ValueError(f"invalid comment pattern: {error}") from error

    def to_json(self) -> str:
        """Serialise the pattern to a few dozen bytes of JSON."""
        return json.dumps([self.signature, self.levels, self.confidence], ensure_ascii=False)

    def records(self, page: FlatDocument) -> tuple[int, ...]:
        """Return the indices of the elements of a page that contain one comment each."""
        signature = self.signature
        if signature is None:
            return ()
        records = core.matching(page, *signature)
        for _ in range(self.levels):
            records = np.maximum(page.parents[records], 0)
        return tuple(dict.fromkeys(records.tolist()))


NO_PATTERN = ""  # vote of a page on which no comments were found


def vote_of(found: CommentPattern) -> str | None:
    """Return the vote of a page on the comment pattern of its template, or None for no vote.

    A vote is a pattern in JSON, or `NO_PATTERN`. A page does not vote for a signature without a
    class, an ID or microdata, because on a page without comments, something else may have the same
    path.
    """
    if found.signature is None:
        return NO_PATTERN
    if not found.signature.name or found.confidence < MIN_TRUST:
        return None
    return replace(found, confidence=1.0).to_json()


def winner(votes: Iterable[str | None]) -> str | None:
    """Return the pattern for which most pages of a template vote; None if no page votes for one."""
    counts = Counter(filter(None, votes))
    return max(counts, key=lambda vote: (counts[vote], vote), default=None)


def _read_signature(parts: Any) -> Signature:
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise TypeError("a signature is a list of strings")
    return Signature(*parts)
