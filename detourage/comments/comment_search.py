"""Search for a page's comments among the candidates.

Most pages have no comments, so the best candidate is often a list or a group of teasers. Unlike
these, comments have authors and dates, which are read before the best candidate is accepted. The
weights are trained by ``benchmarks/comments/train.py``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from detourage.comments.assembly import Reading
from detourage.comments.candidates import Candidate, PageWords, find_candidates
from detourage.comments.comment import NONE_FOUND, FoundComments
from detourage.comments.pattern import CommentPattern
from detourage.html import Page
from detourage.inference import Features, load_model
from detourage.records import record

Floats = npt.NDArray[np.float64]
# Minimum share of words by readers in a candidate that is read; reading is slow.
MIN_READERS_SHARE = 0.05
MAX_READ = 300  # maximum number of records read to decide on a candidate


@dataclass(frozen=True)
class CommentModel:
    """Models that rank a page's candidates, and decide whether the best one has the comments.

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
        """Return the probability that a candidate with these measures consists of comments.

        Any share that is missing has the value that makes the probability highest.
        """
        log_odds = self.base + sum(
            weight * measures[name] if name in measures else max(weight, 0.0)
            for name, weight in self.certainty.items()
        )
        return float(1.0 / (1.0 + np.exp(-log_odds)))


def trained_model() -> CommentModel:
    """Return the shipped model."""
    return load_model(CommentModel, "detourage.comments", "model.json")


MIN_CONFIDENCE_UNCONFIRMED = 0.3
"""Minimum probability of comments that the roles of their lines do not confirm."""


@record
class BestCandidate:
    """A page's best candidate, which is read only as far as it may turn out to be likely."""

    page: Page
    chosen: Candidate
    records: tuple[int, ...]
    sizes: dict[str, float]  # the `measures` that are known without reading

    @cached_property
    def reading(self) -> Reading:
        """At most the first `MAX_READ` of the `records`."""
        return Reading.of(self.page.flat, self.records[:MAX_READ], self.page.url)

    @cached_property
    def confidence(self) -> float:
        """The probability that the candidate consists of comments."""
        return trained_model().probability(self.measures)

    @property
    def measures(self) -> dict[str, float]:
        """The measures that `CommentModel` needs."""
        names = [author.name for author in self.reading.authors.values()]
        return self.sizes | self._shares_with_date | self._shares("author", names)

    @cached_property
    def _shares_with_date(self) -> dict[str, float]:
        dates = self.reading.dates.values()
        return self._shares("date", [str(each.written or each.moment) for each in dates])

    def _shares(self, part: str, found: Sequence[str]) -> dict[str, float]:
        count = len(self.reading.records)
        return {f"with {part}": len(found) / count, f"different {part}s": len({*found}) / count}

    def can_reach(self, confidence: float) -> bool:
        """Return whether the best possible authors would allow that confidence."""
        most, least = trained_model().probability, confidence / 1.0001  # Sums may be rounded down.
        return most(self.sizes) >= least and most(self.sizes | self._shares_with_date) >= least

    def if_likely(self, least_confidence: float = MIN_CONFIDENCE_UNCONFIRMED) -> FoundComments:
        """Return the candidate's records, or none if its confidence is too low."""
        if not self.can_reach(least_confidence) or self.confidence < least_confidence:
            return NONE_FOUND
        pattern = CommentPattern(self.chosen.signature, self.chosen.levels, self.confidence)
        reading = self.reading if len(self.records) <= MAX_READ else None
        return FoundComments(self.records, pattern, self.confidence, reading)


def read_candidate(page: Page, words: PageWords, chosen: Candidate) -> BestCandidate | None:
    """Return a candidate, or None if readers wrote too few of its words."""
    flat = words.page
    is_record = np.zeros(len(flat.ends), dtype=np.bool_)
    is_record[chosen.record_indices] = True
    is_inside = flat.within(is_record)[flat.text_parents]
    share = words.by_readers[is_inside].sum() / max(words.words[is_inside].sum(), 1)
    if share < MIN_READERS_SHARE:
        return None
    records = tuple(flat.numbers[chosen.record_indices].tolist())
    sizes = {
        "by readers": share,
        "words by readers": np.log1p(words.by_readers.sum()),
        "count": np.log(len(records)),
    }
    return BestCandidate(page, chosen, records, sizes)


def search(
    page: Page, words: PageWords, most_read: int = 1, least_confidence: float = 0.0
) -> BestCandidate | None:
    """Return the most probable of a page's `most_read` best candidates that may be that likely."""
    candidates, features = find_candidates(words)
    if not candidates:
        return None
    best = np.argsort(-trained_model().scores(features), kind="stable")[:most_read].tolist()
    read = [read_candidate(page, words, candidates[number]) for number in best]
    found = [each for each in read if each is not None and each.can_reach(least_confidence)]
    return max(found, key=lambda each: each.confidence) if len(found) > 1 else (*found, None)[0]
