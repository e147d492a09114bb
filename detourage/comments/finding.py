"""Search for a page's comments among the candidates.

Most pages have no comments, so the best candidate is often a list or a group of teasers. Unlike
these, comments have authors and dates, so these are read before the best candidate is accepted. The
weights are trained by ``benchmarks/comments/train.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.comments.candidates import Candidate, PageWords, find_candidates
from detourage.comments.pattern import CommentPattern
from detourage.comments.reading import Reading
from detourage.html import Page
from detourage.inference import Features, load_model

Floats = npt.NDArray[np.float64]
# Minimum share of words by readers in a candidate; others are not read, as reading is slow.
MIN_READERS_SHARE = 0.05
MAX_READ = 300  # maximum number of records read to decide on a candidate


@dataclass(frozen=True)
class CommentModel:
    """Models that rank the candidates of a page, and decide whether the best one is its comments.

    `ranking` has the weights of the candidates' features. `certainty` and `base` are the weights
    and the intercept of a logistic regression on the measures returned by `read_candidate`.
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
) -> tuple[Reading | None, dict[str, float]]:
    """Read the first records of a candidate; also return the measures that `CommentModel` needs.

    Return no reading if too few of the candidate's words are by readers.
    """
    flat = words.page
    is_record = np.zeros(len(flat.ends), dtype=np.bool_)
    is_record[chosen.record_indices] = True
    is_inside = flat.within(is_record)[flat.text_parents]
    share = words.by_readers[is_inside].sum() / max(words.words[is_inside].sum(), 1)
    if share < MIN_READERS_SHARE:
        return None, {}
    records = flat.numbers[chosen.record_indices[:MAX_READ]].tolist()
    reading = Reading.of(page.flat, records, page.url)
    authors = [author.name for author in reading.authors.values()]
    dates = [str(each.written or each.moment) for each in reading.dates.values()]
    return reading, {
        "by readers": share,
        "words by readers": np.log1p(words.by_readers.sum()),
        "count": np.log(len(chosen.record_indices)),
        "with author": len(authors) / len(records),
        "different authors": len({*authors}) / len(records),
        "with date": len(dates) / len(records),
        "different dates": len({*dates}) / len(records),
    }


MIN_CONFIDENCE = 0.3  # minimum probability of a candidate that is accepted as the page's comments


class FoundComments(NamedTuple):
    """The comments found on a page, before they are read.

    `records` are the indices of the elements that contain one comment each, in document order and
    possibly nested. `pattern` finds the comments on other pages of the template. `confidence` is
    the probability that the records are the page's comments or, without records, that the page has
    no comments. `reading` is what the search has read, or None if it did not read all records.
    """

    records: tuple[int, ...]
    pattern: CommentPattern
    confidence: float
    reading: Reading | None = None

    def if_likely(self, least_confidence: float = MIN_CONFIDENCE) -> "FoundComments":
        """Return these comments if they are likely enough, otherwise the finding of no comments."""
        if not self.records or self.confidence >= least_confidence:
            return self
        confidence = 1.0 - self.confidence
        return FoundComments((), CommentPattern(None, 0, confidence), confidence)


NONE_FOUND = FoundComments((), CommentPattern(None, 0, 1.0), 1.0)


def search(page: Page, words: PageWords) -> FoundComments:
    """Return the best candidate of a page, however improbable, with its authors and dates."""
    candidates, features = find_candidates(words)
    if not candidates:
        return NONE_FOUND
    model = trained_model()
    chosen = candidates[int(model.scores(features).argmax())]
    reading, measures = read_candidate(page, words, chosen)
    if reading is None:
        return NONE_FOUND
    confidence = model.probability(measures)
    return FoundComments(
        tuple(words.page.numbers[chosen.record_indices].tolist()),
        CommentPattern(chosen.signature, chosen.levels, confidence),
        confidence,
        reading if len(chosen.record_indices) <= MAX_READ else None,
    )
