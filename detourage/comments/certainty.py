"""Probability that the likeliest candidate is in fact the page's comments, judged by reading it.

Most pages have no comments, yet some candidate is always the likeliest, usually teasers or a list.
Unlike these, comments have authors and dates. A logistic regression and boosted trees, trained by
``benchmarks/comments/train.py``, combine the evidence.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from detourage.comments.candidates import Candidate
from detourage.comments.comment import Comment
from detourage.comments.elements import PageElements
from detourage.comments.reading import read_places
from detourage.html import Page
from detourage.inference import BoostedTrees, Features, expect_columns, load_model
from detourage.inference.features import median
from detourage.text.words import tokens

Floats = npt.NDArray[np.float64]

MAX_READ = 300
"""Maximum number of records to read when assessing a candidate."""

MIN_PROBABILITY = 1e-4
"""Lower bound to which probabilities are clipped; the upper bound is 1 minus this value."""

MANY_AUTHORS = 10
"""Number of authors beyond which further authors are not counted."""

RIVAL_SHARE = 0.5
"""Minimum probability at which a candidate counts as a rival, relative to the best candidate's."""


@dataclass(frozen=True)
class Certainty:
    """A logistic regression and boosted trees, whose log odds are averaged.

    The regression generalises better to unfamiliar pages; the trees capture interactions between
    measures. `columns` are the names of the measures, which both models use; `weights` and `base`
    are the coefficients and the intercept of the regression.
    """

    KIND: ClassVar[str] = "logistic regression and boosted trees"

    columns: tuple[str, ...]
    weights: tuple[float, ...]
    base: float
    trees: BoostedTrees

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build a model from the parameters returned by `to_parameters`."""
        weights: Mapping[str, float] = parameters["weights"]
        base = float(parameters["base"])
        trees = BoostedTrees.from_parameters({**parameters["trees"], "columns": [*weights]})
        return cls(tuple(weights), tuple(map(float, weights.values())), base, trees)

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters in a form that can be serialised as JSON."""
        trees = self.trees.to_parameters()
        del trees["columns"]
        return {
            "base": self.base,
            "weights": dict(zip(self.columns, self.weights, strict=True)),
            "trees": trees,
        }

    def probability(self, measures: Mapping[str, float]) -> float:
        """Return the probability that a candidate with these measures consists of comments.

        Raise RuntimeError if the measures are not those used in training.
        """
        expect_columns(tuple(measures), self.columns)
        row = Features.of((name, [value]) for name, value in measures.items())
        of_trees = _log_odds(float(self.trees.probabilities(row)[0]))
        of_regression = self.base + float(np.dot(self.weights, list(measures.values())))
        return float(1.0 / (1.0 + np.exp(-(of_regression + of_trees) / 2)))


def trained_certainty() -> Certainty:
    """Return the shipped model."""
    return load_model(Certainty, "detourage.comments", "certainty.json")


def read_choice(
    page: Page, elements: PageElements, candidates: Sequence[Candidate], probabilities: Floats
) -> tuple[Comment, ...]:
    """Read the first records of the likeliest candidate as comments, for `measure_choice`."""
    places = candidates[int(probabilities.argmax())].places[:MAX_READ]
    return read_places(page.flat, elements.numbers[places].tolist(), page.url)


def measure_choice(
    page: PageElements,
    candidates: Sequence[Candidate],
    probabilities: Floats,
    comments: Sequence[Comment],
) -> dict[str, float]:
    """Measure the likeliest candidate, its lead over the others, and its `comments` as read."""
    best = int(probabilities.argmax())
    members = candidates[best].members[:MAX_READ]
    second = float(np.partition(probabilities, -2)[-2]) if len(probabilities) > 1 else 0.0
    rivals = np.count_nonzero(probabilities > RIVAL_SHARE * probabilities[best])
    return {
        "log odds": _log_odds(float(probabilities[best])),
        "log odds of the second": _log_odds(second),
        "rivals": float(np.log1p(rivals)),
        "count": float(np.log(len(comments))),
        **_measures(comments, _characters(page, members)),
    }


def _measures(comments: Sequence[Comment], characters: int) -> dict[str, float]:
    authors = [comment.author for comment in comments if comment.author is not None]
    dates = [date for comment in comments if (date := _shown_date(comment)) is not None]
    texts = [comment.text for comment in comments]
    nonempty = [text for text in texts if text != ""]
    lengths = np.array([len(tokens(text)) for text in texts])
    mean = float(lengths.mean())
    return {
        "with author": _share([comment.author is not None for comment in comments]),
        "different authors": len(set(authors)) / max(len(authors), 1),
        "with written date": _share([comment.written_date is not None for comment in comments]),
        "with date": _share([comment.date is not None for comment in comments]),
        "with text": _share([text != "" for text in texts]),
        "different texts": len(set(nonempty)) / max(len(nonempty), 1),
        "words": float(np.log1p(mean)),
        "variation of words": float(lengths.std()) / max(mean, 0.1),
        "share of readers' text": sum(map(len, texts)) / max(characters, 1),
        "with permalink": _share([comment.permalink is not None for comment in comments]),
        "with votes": _share([comment.votes is not None for comment in comments]),
        "with parent": _share([comment.parent is not None for comment in comments]),
        **_measures_of_people(comments, authors, dates),
    }


def _measures_of_people(
    comments: Sequence[Comment], authors: Sequence[str], dates: Sequence[str]
) -> dict[str, float]:
    """Measure the evidence that several people wrote the comments at several times."""
    most = Counter(authors).most_common(1)
    written = [
        comment.author is not None and _shown_date(comment) is not None and comment.text != ""
        for comment in comments
    ]
    return {
        "with all": _share(written),
        "different dates": len(set(dates)) / max(len(dates), 1),
        "no author": float(not authors),
        "no date": float(not dates),
        "neither author nor date": float(not authors and not dates),
        "most by one author": most[0][1] / len(comments) if most else 0.0,
        "authors": min(len(set(authors)), MANY_AUTHORS) / MANY_AUTHORS,
        "median characters": float(np.log1p(median([len(each.text) for each in comments]))),
    }


def _shown_date(comment: Comment) -> str | None:
    if comment.written_date is not None:
        return comment.written_date
    return str(comment.date) if comment.date is not None else None


def _characters(page: PageElements, members: Sequence[int]) -> int:
    """Count the characters of the records; nested records are counted once."""
    count = end = 0
    for member in members:
        start = max(end, page.text_starts[member])
        end = max(end, page.text_ends[member])
        count += sum(map(len, page.texts[start:end]))
    return count


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, MIN_PROBABILITY), 1.0 - MIN_PROBABILITY)
    return float(np.log(bounded / (1.0 - bounded)))


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)
