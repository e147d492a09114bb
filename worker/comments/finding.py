"""Search for a page's comments by the likeliest candidate or by its template's pattern."""

from dataclasses import dataclass

from lxml.html import HtmlElement

from worker.comments.candidates import find_candidates
from worker.comments.certainty import measure_choice, read_choice, trained_certainty
from worker.comments.comment import Comment
from worker.comments.discussion import is_discussion
from worker.comments.elements import PageElements
from worker.comments.features import measure
from worker.comments.pattern import CommentPattern
from worker.html import Page
from worker.inference import BoostedTrees, load_model

MIN_PROBABILITY = 0.02
"""Minimum probability for the likeliest candidate to be read; reading is the slowest step.

In cross-validation, 71 % of 2,091 pages without comments are below it, and none of 121 pages with
comments.
"""

MIN_CONFIDENCE = 0.35
"""Minimum probability, given what was read, for the likeliest candidate to be comments.

In cross-validation, 94 % of 121 pages with comments reach it, and 0.9 % of 2,091 pages without. At
0.5, the figures are 89 % and 0.7 %; at 0.3, 95 % and 1.2 %, and 2.1 % of dragnet's pages.
"""

MIN_OF_DISCUSSION = 0.2
"""The same minimum for comments that read as a discussion (`is_discussion`).

In cross-validation, it finds comments on 1 % more of the pages that have them. Of pages without
comments, 1.6 % of 573 of dragnet reach it, as many as without this limit, and 0.8 % of 1,277 of
wcxb (0.5 % without lists of other pages), instead of 0.7 %.
"""


@dataclass(frozen=True)
class FoundComments:
    """The comments found on a page, before they are read.

    Attributes
    ----------
    records
        One element per comment, in document order; they may be nested.
    pattern
        Pattern to store for other pages of the template.
    confidence
        Probability that these are the page's comments, from 0 to 1; without records, the
        probability that the page has none.
    read
        The comments, if finding them already required reading them.
    """

    records: tuple[HtmlElement, ...]
    pattern: CommentPattern
    confidence: float
    read: tuple[Comment, ...] | None = None


def find_comments(page: Page, least_confidence: float = MIN_CONFIDENCE) -> FoundComments:
    """Find the comments of a page, without records if no candidate is likely enough.

    Most pages have no comments. `least_confidence` is the minimum probability for the likeliest
    candidate to be comments.
    """
    elements = PageElements.of(page.flat)
    candidates = find_candidates(elements)
    if not candidates:
        return FoundComments((), CommentPattern(None, 0, 1.0), 1.0)
    probabilities = trained_model().probabilities(measure(elements, candidates))
    best = int(probabilities.argmax())
    confidence = float(probabilities[best])
    read: tuple[Comment, ...] = ()
    if confidence >= MIN_PROBABILITY:
        read = read_choice(page, elements, candidates, probabilities)
        measured = measure_choice(elements, candidates, probabilities, read)
        confidence = trained_certainty().probability(measured)
    if is_discussion(read):
        least_confidence = min(least_confidence, MIN_OF_DISCUSSION)
    if confidence < least_confidence:
        return FoundComments((), CommentPattern(None, 0, 1.0 - confidence), 1.0 - confidence)
    chosen = candidates[best]
    return FoundComments(
        tuple(elements.elements[index] for index in chosen.members),
        CommentPattern(chosen.signature, chosen.levels, confidence),
        confidence,
        read if len(read) == len(chosen.places) else None,
    )


def trained_model() -> BoostedTrees:
    """Return the shipped classifier of candidates, trained by ``benchmarks/comments/train.py``."""
    return load_model(BoostedTrees, "worker.comments", "model.json")
