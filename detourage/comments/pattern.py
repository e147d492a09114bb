"""Comment patterns, which are derived from the comments on one page and find those on others."""

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from lxml.html import HtmlElement

from detourage.comments.signatures import Signature, masked, paths_of, signatures_of
from detourage.html.flat import FlatDocument

MIN_TRUST = 0.5
"""Minimum mean confidence over a template's pages for applying a pattern to the template.

A block mistaken for comments with low confidence, usually a teaser box, tends to recur on every
page of the template. The value was measured on ``dragnet``.
"""

_KINDS = ("itemprop", "itemtype")


@dataclass(frozen=True)
class CommentPattern:
    """A rule for finding the comments on a page or on the pages of a template.

    `signature` is carried by exactly one element in each comment, and by no other element; it is
    None if no comments were found. `levels` is the number of levels from that element up to the
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
        # The name up to its first mask or second class occurs literally on the page.
        is_kind = wanted.name.startswith("[")
        literal = "" if is_kind else re.split("[.#]", wanted.name[1:])[0]
        may_be = [
            literal in classes or literal in identity for classes, identity in flat.distinct_names
        ]
        is_there = flat.having({wanted.tag}) & np.array(may_be)[flat.name_numbers]
        if wanted.path:
            ways, way_of = paths_of(flat)
            is_there &= way_of == (ways.index(wanted.path) if wanted.path in ways else -1)
        properties, types = (flat.values(name) if is_kind else {} for name in _KINDS)
        found: dict[int, None] = {}
        for index in np.flatnonzero(is_there).tolist():
            kind = properties.get(index) or types.get(index) or ""
            classes, identity = masked(flat.distinct_names[flat.name_numbers[index]])
            if wanted in signatures_of(wanted.tag, wanted.path, classes, identity, kind):
                found[_above(flat, index, self.levels)] = None
        return tuple(flat.elements[index] for index in found)


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


def _above(page: FlatDocument, element: int, levels: int) -> int:
    for _ in range(levels):
        element = max(0, int(page.parents[element]))
    return element
