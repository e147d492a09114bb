"""Comment patterns, which describe the comments on a page in order to find them on other pages."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from detourage import core
from detourage.html.flat import FlatDocument

MIN_TRUST = 0.5
"""Minimum mean confidence, over a template's pages, of a pattern that is applied to the template.

A pattern with less confidence is often that of a teaser box, which occurs on every page of the
template. The value was measured on ``dragnet``.
"""


class Signature(NamedTuple):
    """Properties that elements of the same kind share.

    `name` is ``.class``, ``#id`` or ``[kind]`` (of microdata), with numbers replaced by ``#``.
    Several classes are sorted, as in ``.one.two``. `path` consists of the tags from the root down
    to the element, separated by ``/``. If only one of the two counts, the other is empty.
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
            parts, levels, confidence = json.loads(text)
            signature = None if parts is None else _read_signature(parts)
            return cls(signature, int(levels), float(confidence))
        except (OverflowError, RecursionError, TypeError) as error:
            raise ValueError(f"invalid comment pattern: {error}") from error

    def to_json(self) -> str:
        """Serialise the pattern to a few dozen bytes of JSON."""
        return json.dumps([self.signature, self.levels, self.confidence], ensure_ascii=False)

    def records(self, page: FlatDocument) -> tuple[int, ...]:
        """Return the indices of the elements that contain one comment each, on another page."""
        signature = self.signature
        if signature is None:
            return ()
        records = core.matching(page, *signature)
        for _ in range(self.levels):
            records = np.maximum(page.parents[records], 0)
        return tuple(dict.fromkeys(records.tolist()))


def vote(patterns: Iterable[CommentPattern]) -> CommentPattern:
    """Return the pattern with the highest total confidence on a template's pages.

    The result has the mean of these confidences. It is `NO_COMMENTS_SEEN` if that mean is below
    `MIN_TRUST`, or if no page has comments. Pages without comments do not count against a pattern,
    because articles of the same template may or may not have comments.
    """
    confidences: dict[tuple[Signature, int], list[float]] = defaultdict(list)
    for pattern in patterns:
        if pattern.signature is not None:
            confidences[pattern.signature, pattern.levels].append(pattern.confidence)
    if not confidences:
        return NO_COMMENTS_SEEN
    signature, levels = max(confidences, key=lambda key: (math.fsum(confidences[key]), key))
    confidence = math.fsum(confidences[signature, levels]) / len(confidences[signature, levels])
    is_trusted = confidence >= MIN_TRUST
    return CommentPattern(signature, levels, confidence) if is_trusted else NO_COMMENTS_SEEN


NO_COMMENTS_SEEN = CommentPattern(None, 0, 0.0)  # for a template on whose pages none were found


def _read_signature(parts: Any) -> Signature:
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise TypeError("a signature is a list of strings")
    return Signature(*parts)
