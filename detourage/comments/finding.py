"""Search for a page's comments, using the likeliest candidate or its template's pattern."""

from dataclasses import dataclass

from lxml.html import HtmlElement

from detourage.comments.candidates import Candidate, find_candidates
from detourage.comments.certainty import measure_choice, read_choice, trained_certainty
from detourage.comments.comment import Comment
from detourage.comments.discussion import is_discussion
from detourage.comments.elements import PageElements
from detourage.comments.features import measure
from detourage.comments.pattern import CommentPattern
from detourage.html import Page
from detourage.inference import BoostedTrees, load_model

MIN_PROBABILITY = 0.02
"""Minimum probability at which the likeliest candidate is read; reading is the slowest step."""

MIN_CONFIDENCE = 0.35
"""Minimum probability after reading at which the likeliest candidate counts as comments."""

MIN_OF_DISCUSSION = 0.2
"""Counterpart of `MIN_CONFIDENCE` for comments that read like a discussion (`is_discussion`)."""


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
    """The likeliest candidate of a page, if it has any, with its probability after reading."""

    elements: PageElements
    chosen: Candidate | None
    confidence: float = 0.0
    read: tuple[Comment, ...] = ()

    def found(self, least_confidence: float = MIN_CONFIDENCE) -> FoundComments:
        """Return the candidate as comments, or none if it is not likely enough.

        For a discussion, the minimum is at most `MIN_OF_DISCUSSION`.
        """
        if is_discussion(self.read):
            least_confidence = min(least_confidence, MIN_OF_DISCUSSION)
        chosen, confidence = self.chosen, self.confidence
        if chosen is None or confidence < least_confidence:
            return FoundComments((), CommentPattern(None, 0, 1.0 - confidence), 1.0 - confidence)
        return FoundComments(
            tuple(self.elements.elements[index] for index in chosen.members),
            CommentPattern(chosen.signature, chosen.levels, confidence),
            confidence,
            self.read if len(self.read) == len(chosen.places) else None,
        )


def search_comments(page: Page) -> Search:
    """Search a page for the candidate that is most likely its comments."""
    elements = PageElements.of(page.flat)
    candidates = find_candidates(elements)
    if not candidates:
        return Search(elements, None)
    probabilities = trained_model().probabilities(measure(elements, candidates))
    best = int(probabilities.argmax())
    confidence = float(probabilities[best])
    read: tuple[Comment, ...] = ()
    if confidence >= MIN_PROBABILITY:
        read = read_choice(page, elements, candidates, probabilities)
        measured = measure_choice(elements, candidates, probabilities, read)
        confidence = trained_certainty().probability(measured)
    return Search(elements, candidates[best], confidence, read)


def find_comments(page: Page, least_confidence: float = MIN_CONFIDENCE) -> FoundComments:
    """Find the comments of a page; there are no records if no candidate is likely enough.

    `least_confidence` is the minimum probability that the likeliest candidate is comments; see
    `Search.found`.
    """
    return search_comments(page).found(least_confidence)


def trained_model() -> BoostedTrees:
    """Return the shipped classifier of candidates, trained by ``benchmarks/comments/train.py``."""
    return load_model(BoostedTrees, "detourage.comments", "model.json")
