"""Exclusion of comments from the article's text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from detourage.html import Page
from detourage.reader.found_body import FoundBody, kept_texts
from detourage.reader.outline import Outline

if TYPE_CHECKING:
    from detourage.comments import FoundComments

SURE = 0.5  # Minimum confidence in comments for their removal from the article
MAX_EXCLUDED = 0.5  # share of the body's words that may be removed regardless of `MIN_REMAINING`

MIN_REMAINING = 100
"""Minimum number of words left after removing more than `MAX_EXCLUDED` of the body. If fewer would
be left, one of the elements is the article itself, such as the first post of a thread."""


def comments_to_exclude(page: Page, found: FoundComments) -> Collection[int]:
    """Return the outline indices of comments found with a confidence of at least `SURE`."""
    if found.confidence < SURE or not found.records:
        return ()
    from detourage.comments.extents import comment_area

    area = comment_area(page.flat, found.records)
    return np.flatnonzero(np.isin(Outline.of(page.flat).flat.numbers, area)).tolist()


def exclude(page: Outline, body: FoundBody, elements: Collection[int]) -> FoundBody:
    """Drop elements from a body, unless they are most of the body and few words would remain.

    The body's lines are not chosen again without the comments, because doing so makes as many
    pages worse as it improves.
    """
    is_excluded = np.zeros(len(page.tags), dtype=np.bool_)
    is_excluded[[*elements]] = True
    sizes = page.text_sizes * kept_texts(page, body)
    words, excluded_words = (
        sizes.sum(),
        sizes[page.flat.within(is_excluded)[page.text_parents]].sum(),
    )
    if excluded_words > MAX_EXCLUDED * words and words - excluded_words < MIN_REMAINING:
        return body
    return replace(body, dropped=body.dropped.union(elements))
