"""Comment patterns, which are derived from the comments on a page and find comments on others."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from lxml.html import HtmlElement

from detourage.comments.signatures import Signature, looks_of
from detourage.html.flat import FlatDocument

MIN_TRUST = 0.5
"""Minimum mean confidence over a template's pages for applying a pattern to the template.

A block mistaken for comments with low confidence, usually a teaser box, tends to recur on every
page of the template. The value was measured on ``dragnet``.
"""


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

    @property
    def is_named(self) -> bool:
        """Whether the signature has a class, an ID or microdata.

        A signature that consists only of a path is unreliable, because something else may be at the
        same position on a page without comments.
        """
        return self.signature is not None and self.signature.name != ""

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Parse a pattern serialised by `to_json`; raise ValueError if the text is not one."""
        try:
            shared, levels, confidence = json.loads(text)
            signature = None if shared is None else _read_signature(shared)
            return cls(signature, int(levels), float(confidence))
        except (OverflowError, RecursionError, TypeError) as error:
            raise ValueError(f"invalid comment pattern: {error}") from error

    def to_json(self) -> str:
        """Serialise the pattern to a few dozen bytes of JSON."""
        return json.dumps([self.signature, self.levels, self.confidence], ensure_ascii=False)

    def records(self, document: HtmlElement | FlatDocument) -> tuple[HtmlElement, ...]:
        """Return the elements that contain one comment each, on a page of the template."""
        wanted = self.signature
        if wanted is None:
            return ()
        flat = FlatDocument.of(document)
        elements = np.flatnonzero(flat.having({wanted.tag}))
        if not len(elements):
            return ()
        looks, signatures = looks_of(flat, elements)
        is_wanted = np.array([wanted in each for each in signatures])
        places = elements[is_wanted[looks]]
        for _ in range(self.levels):
            places = np.maximum(flat.parents[places], 0)
        return tuple(flat.elements[place] for place in dict.fromkeys(places.tolist()))


def vote(patterns: Iterable[CommentPattern]) -> CommentPattern:
    """Return the pattern with the highest total confidence on a template's pages.

    The result has the mean of these confidences. It is `NONE_SEEN` if that mean is below
    `MIN_TRUST`, or if no page has comments. Pages without comments do not count against a pattern,
    because articles of the same template may or may not have comments.
    """
    confidences: dict[tuple[Signature, int], list[float]] = defaultdict(list)
    for pattern in patterns:
        if pattern.signature is not None:
            confidences[pattern.signature, pattern.levels].append(pattern.confidence)
    if not confidences:
        return NONE_SEEN
    signature, levels = max(confidences, key=lambda each: (math.fsum(confidences[each]), each))
    votes = confidences[signature, levels]
    confidence = math.fsum(votes) / len(votes)
    return CommentPattern(signature, levels, confidence) if confidence >= MIN_TRUST else NONE_SEEN


NONE_SEEN = CommentPattern(None, 0, 0.0)
"""The pattern of a template whose comments are unknown."""


def _read_signature(shared: Any) -> Signature:
    if not isinstance(shared, list) or not all(isinstance(each, str) for each in shared):
        raise TypeError("a signature is a list of strings")
    return Signature(*shared)
