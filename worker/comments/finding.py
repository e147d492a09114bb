"""Find the comments of a page: its likeliest candidate, or what its template has shown."""

from dataclasses import dataclass

from lxml.html import HtmlElement

from worker.comments.candidates import find_candidates
from worker.comments.certainty import Certainty, measure_choice, read_choice, trained_certainty
from worker.comments.comment import Comment
from worker.comments.discussion import is_discussion
from worker.comments.elements import PageElements
from worker.comments.features import measure
from worker.comments.pattern import CommentPattern
from worker.comments.ranking import trained_model
from worker.html import Page
from worker.inference import BoostedTrees

MIN_PROBABILITY = 0.02
"""Probability below which the likeliest candidate is not read, which takes longest.

Cross-validated, it is on 71 % of 2,091 pages without comments and on none of 121 with.
"""

MIN_CONFIDENCE = 0.35
"""Probability, by what was read, from which on the likeliest candidate is taken for comments.

Cross-validated, 94 % of 121 pages with comments are above and 0.9 % of 2,091 without; from 0.5 on
it were 89 and 0.7 %, from 0.3 on 95 and 1.2 %, 2.1 % of dragnet's.
"""

MIN_OF_DISCUSSION = 0.2
"""The same where they read as a discussion (`is_discussion`).

Cross-validated, it finds 1 % more of the pages with comments; of 573 pages of dragnet without any
1.6 % are above, as many otherwise; of 1,277 of wcxb 0.8 % (0.5 % without lists of other pages),
0.7 % otherwise.
"""


@dataclass(frozen=True)
class FoundComments:
    """The comments of a page before they are read.

    Attributes
    ----------
    records
        One element a comment, in document order; one may stand inside another.
    pattern
        What is to be remembered for other pages of the template.
    confidence
        Probability that these are the comments of the page, 0..1; where there are no
        records, that it has none.
    read
        What the records say, where that was read to find them.
    """

    records: tuple[HtmlElement, ...]
    pattern: CommentPattern
    confidence: float
    read: tuple[Comment, ...] | None = None


def find_comments(
    page: Page,
    known: CommentPattern | None = None,
    model: BoostedTrees | None = None,
    certainty: Certainty | None = None,
    least_confidence: float = MIN_CONFIDENCE,
) -> FoundComments:
    """Find the comments of a page.

    Parameters
    ----------
    page
        The page.
    known
        What other pages of its template have shown (`worker.comments.vote`). It finds single
        comments too, which nothing on their own page tells from the rest. One without a name is
        not relied on.
    model, certainty
        The classifier of candidates, and how certain to be of the likeliest; those of the
        service unless given.
    least_confidence
        Probability from which on the likeliest candidate is taken.

    Returns
    -------
    FoundComments
        Without records where no candidate is likely enough: most pages have no comments.
    """
    if known is not None and known.is_named:
        return FoundComments(known.records(page.flat), known, known.confidence)
    elements = PageElements.of(page.flat)
    candidates = find_candidates(elements)
    if not candidates:
        return FoundComments((), CommentPattern(None, 0, 1.0), 1.0)
    probabilities = (model or trained_model()).probabilities(measure(elements, candidates))
    best = int(probabilities.argmax())
    confidence = float(probabilities[best])
    read: tuple[Comment, ...] = ()
    if confidence >= MIN_PROBABILITY:
        read = read_choice(page, elements, candidates, probabilities)
        measured = measure_choice(elements, candidates, probabilities, read)
        confidence = (certainty or trained_certainty()).probability(measured)
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
