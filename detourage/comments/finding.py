"""Search for a page's comments, using the likeliest candidate or its template's pattern."""

from dataclasses import dataclass
from typing import Self

from lxml.html import HtmlElement

from detourage.comments.candidates import Candidate, PageWords, find_candidates
from detourage.comments.certainty import read_choice, trained_model
from detourage.comments.comment import Comment
from detourage.comments.features import measure
from detourage.comments.pattern import CommentPattern
from detourage.html import Page

MIN_CONFIDENCE = 0.3
"""Minimum probability at which the likeliest candidate counts as comments."""


@dataclass(frozen=True)
class FoundComments:
    """The comments found on a page, before they are read.

    `records` are one element per comment, in document order and possibly nested. `pattern` is to be
    stored for other pages of the template. `confidence` is the probability that these are the
    page's comments or, if there are no records, that the page has no comments. `read` are the
    comments if the search already had to read them.
    """

    records: tuple[HtmlElement, ...]
    pattern: CommentPattern
    confidence: float
    read: tuple[Comment, ...] | None = None


@dataclass(frozen=True)
class Search:
    """The likeliest candidate with its probability after reading, its elements, and those read."""

    chosen: Candidate | None = None
    elements: tuple[HtmlElement, ...] = ()
    confidence: float = 0.0
    read: tuple[Comment, ...] = ()

    @classmethod
    def of(cls, page: Page, words: PageWords) -> Self:
        """Search a page for the candidate that is most likely its comments, and read it."""
        candidates = find_candidates(words)
        if not candidates:
            return cls()
        model, features = trained_model(), measure(words, candidates)
        best = int(model.scores(features).argmax())
        read, measures = read_choice(page, words, candidates[best])
        if not read:
            return cls()
        elements = words.page.elements
        return cls(
            candidates[best],
            tuple(elements[place] for place in candidates[best].places.tolist()),
            model.probability(measures),
            read,
        )

    def found(self, least_confidence: float = MIN_CONFIDENCE) -> FoundComments:
        """Return the candidate as comments, or none if it is not likely enough."""
        chosen, confidence = self.chosen, self.confidence
        if chosen is None or confidence < least_confidence:
            return FoundComments((), CommentPattern(None, 0, 1.0 - confidence), 1.0 - confidence)
        return FoundComments(
            self.elements,
            CommentPattern(chosen.signature, chosen.levels, confidence),
            confidence,
            self.read if len(self.read) == len(self.elements) else None,
        )
