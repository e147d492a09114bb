"""Search for a page's comments among the candidates.

Most pages have no comments, so the best candidate is often a list or a group of teasers. Unlike
these, comments have authors and dates, so the best candidate is read before it is accepted. The
weights are trained by ``benchmarks/comments/train.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.comments.candidates import Candidate, PageWords, find_candidates
from detourage.comments.comment import Comment
from detourage.comments.features import measure
from detourage.comments.pattern import CommentPattern
from detourage.comments.reading import read_places
from detourage.html import Page
from detourage.html.flat import HtmlElement
from detourage.inference import Features, load_model

Floats = npt.NDArray[np.float64]
# Minimum share of words by readers in a candidate that is read, which is the slowest step.
MIN_READERS_SHARE = 0.05
MAX_READ = 300  # records read when assessing a candidate


@dataclass(frozen=True)
class CommentModel:
    """Models that rank the candidates of a page and decide whether the best one is its comments.

    `ranking` has the weights of the candidates' features. `certainty` and `base` are the weights
    and the intercept of a logistic regression on what has been read from the best candidate.
    """

    KIND: ClassVar[str] = "comments"

    ranking: Mapping[str, float]
    certainty: Mapping[str, float]
    base: float

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build a model from the parameters returned by `to_parameters`."""
        ranking, certainty = (
            {name: float(weight) for name, weight in parameters[each].items()}
            for each in ("ranking", "certainty")
        )
        return cls(ranking, certainty, float(parameters["base"]))

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters in a form that can be serialised as JSON."""
        return {"ranking": self.ranking, "certainty": self.certainty, "base": self.base}

    def scores(self, features: Features) -> Floats:
        """Return the score of each candidate; raise RuntimeError if the features' names differ."""
        rows = features.rows_for(tuple(self.ranking))
        return np.asarray(rows @ np.array([*self.ranking.values()]), dtype=np.float64)

    def probability(self, measures: Mapping[str, float]) -> float:
        """Return the probability that a candidate with these measures consists of comments."""
        log_odds = self.base + sum(
            weight * measures[name] for name, weight in self.certainty.items()
        )
        return float(1.0 / (1.0 + np.exp(-log_odds)))


def trained_model() -> CommentModel:
    """Return the shipped model."""
    return load_model(CommentModel, "detourage.comments", "model.json")


def read_candidate(
    page: Page, words: PageWords, chosen: Candidate
) -> tuple[tuple[Comment, ...], dict[str, float]]:
    """Read the first records of the best candidate, and measure what `CommentModel` needs."""
    flat = words.page
    is_record = np.isin(np.arange(len(flat.ends)), chosen.record_indices)
    is_inside = flat.within(is_record)[flat.text_parents]
    share = words.by_readers[is_inside].sum() / max(words.words[is_inside].sum(), 1)
    if share < MIN_READERS_SHARE:
        return (), {}
    records = flat.numbers[chosen.record_indices[:MAX_READ]].tolist()
    comments = read_places(page.flat, records, page.url)
    authors = [comment.author for comment in comments if comment.author is not None]
    dates = [str(date) for each in comments if (date := each.written_date or each.date) is not None]
    return comments, {
        "by readers": share,
        "words by readers": np.log1p(words.by_readers.sum()),
        "count": np.log(len(chosen.record_indices)),
        "with author": len(authors) / len(comments),
        "different authors": len({*authors}) / len(comments),
        "with date": len(dates) / len(comments),
        "different dates": len({*dates}) / len(comments),
    }


MIN_CONFIDENCE = 0.3  # probability of a best candidate that is accepted as the page's comments


class FoundComments(NamedTuple):
    """The comments found on a page, before they are read.

    `records` has one element per comment, in document order and possibly nested. `pattern` finds
    the comments on other pages of the template. `confidence` is the probability that these are the
    page's comments or, if there are no records, that the page has none. `read` has the comments if
    the search has already read all of them.
    """

    records: tuple[HtmlElement, ...]
    pattern: CommentPattern
    confidence: float
    read: tuple[Comment, ...] | None = None


class Search(NamedTuple):
    """The best candidate, its elements, its probability after reading, and the comments read."""

    chosen: Candidate | None = None
    elements: tuple[HtmlElement, ...] = ()
    confidence: float = 0.0
    read: tuple[Comment, ...] = ()

    @classmethod
    def of(cls, page: Page, words: PageWords) -> Self:
        """Search a page for the best candidate, and read it."""
        candidates = find_candidates(words)
        if not candidates:
            return cls()
        model, features = trained_model(), measure(words, candidates)
        best = int(model.scores(features).argmax())
        read, measures = read_candidate(page, words, candidates[best])
        if not read:
            return cls()
        elements = words.page.elements
        return cls(
            candidates[best],
            tuple(elements[place] for place in candidates[best].record_indices.tolist()),
            model.probability(measures),
            read,
        )

    def found(self, least_confidence: float = MIN_CONFIDENCE) -> FoundComments:
        """Return the candidate's comments, or no comments if it is not likely enough."""
        chosen, confidence = self.chosen, self.confidence
        if chosen is None or confidence < least_confidence:
            return FoundComments((), CommentPattern(None, 0, 1.0 - confidence), 1.0 - confidence)
        return FoundComments(
            self.elements,
            CommentPattern(chosen.signature, chosen.levels, confidence),
            confidence,
            self.read if len(self.read) == len(self.elements) else None,
        )
