"""The probability that the likeliest candidate is comments at all, by what is read from it.

Most pages have no comments, and something is the likeliest there too: teasers, mostly, or lists.
They tell themselves apart when they are read, as comments have authors and dates. A logistic
regression trained on other sites (``benchmarks/comments/train.py``) weighs that.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from worker.comments.candidates import Candidate
from worker.comments.comment import Comment
from worker.comments.elements import PageElements
from worker.comments.reading import read_comments
from worker.language.words import tokens

Floats = npt.NDArray[np.float64]

MAX_READ = 300
"""Records that are read to be certain: of more, the first ones."""

LEAST_ODDS = 1e-4
"""Probability that is not told from a lower one, nor 1 minus it from a higher one."""

RIVAL = 0.5
"""Share of the likeliest candidate's probability from which on another one is its rival."""


@dataclass(frozen=True)
class Certainty:
    """A logistic regression.

    Attributes
    ----------
    columns
        Names of what is measured.
    weights
        What each adds to the log odds, times its value.
    base
        Log odds where all are 0.
    """

    columns: tuple[str, ...]
    weights: tuple[float, ...]
    base: float

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the text is no such model.
        """
        try:
            values: dict[str, Any] = json.loads(text)
            weights: dict[str, float] = values["weights"]
            return cls(tuple(weights), tuple(map(float, weights.values())), float(values["base"]))
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"no logistic regression: {error!r}") from error

    def to_json(self) -> str:
        """Write the model down."""
        weights = dict(zip(self.columns, self.weights, strict=True))
        return json.dumps({"base": self.base, "weights": weights}, indent=1) + "\n"

    def probability(self, row: Floats) -> float:
        """Return the probability that a candidate is comments.

        Parameters
        ----------
        row
            What `measure_choice` measured of it.
        """
        odds = self.base + float(np.dot(self.weights, row))
        return float(1.0 / (1.0 + np.exp(-odds)))


@cache
def trained_certainty() -> Certainty:
    """Return the regression of the service.

    Raises
    ------
    RuntimeError
        If it was trained on other measures than are taken.
    """
    path = files("worker.comments").joinpath("certainty.json")
    certainty = Certainty.from_json(path.read_text(encoding="utf-8"))
    if certainty.columns != CERTAINTY_COLUMNS:
        raise RuntimeError("certainty.json was trained on other measures: train it again")
    return certainty


def measure_choice(
    page: PageElements, url: str, candidates: Sequence[Candidate], probabilities: Floats
) -> Floats:
    """Measure the likeliest candidate, how far it is ahead of others, and what is read from it.

    Parameters
    ----------
    page, url
        The page and its address.
    candidates
        At least one.
    probabilities
        Of each, that it is the comments of the page.

    Returns
    -------
    array of shape (`CERTAINTY_COLUMNS`,)
    """
    best = int(probabilities.argmax())
    members = candidates[best].members[:MAX_READ]
    comments = read_comments([page.elements[index] for index in members], url)
    second = float(np.partition(probabilities, -2)[-2]) if len(probabilities) > 1 else 0.0
    measures = {
        "log odds": _log_odds(float(probabilities[best])),
        "log odds of the second": _log_odds(second),
        "rivals": np.log1p(np.count_nonzero(probabilities > RIVAL * probabilities[best])),
        "count": np.log(len(comments)),
        **_measures(comments, _characters(page, members)),
    }
    return np.array(list(measures.values()), dtype=np.float64)


def _measures(comments: Sequence[Comment], characters: int) -> dict[str, float]:
    authors = [comment.author for comment in comments if comment.author is not None]
    texts = [comment.text for comment in comments]
    lengths = np.array([len(tokens(text)) for text in texts])
    mean = float(lengths.mean())
    return {
        "with author": _share([comment.author is not None for comment in comments]),
        "different authors": len(set(authors)) / max(len(authors), 1),
        "with written date": _share([comment.written_date is not None for comment in comments]),
        "with date": _share([comment.date is not None for comment in comments]),
        "with text": _share([text != "" for text in texts]),
        "different texts": len(set(texts)) / len(texts),
        "words": float(np.log1p(mean)),
        "variation of words": float(lengths.std()) / max(mean, 0.1),
        "share of readers' text": sum(map(len, texts)) / max(characters, 1),
        "with permalink": _share([comment.permalink is not None for comment in comments]),
        "with votes": _share([comment.votes is not None for comment in comments]),
        "with parent": _share([comment.parent is not None for comment in comments]),
    }


def _characters(page: PageElements, members: Sequence[int]) -> int:
    """Count the characters of records, those nested in others once."""
    count = end = 0
    for member in members:
        start = max(end, page.text_starts[member])
        end = max(end, page.text_ends[member])
        count += sum(map(len, page.texts[start:end]))
    return count


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, LEAST_ODDS), 1.0 - LEAST_ODDS)
    return float(np.log(bounded / (1.0 - bounded)))


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


CERTAINTY_COLUMNS = (
    "log odds",
    "log odds of the second",
    "rivals",
    "count",
    "with author",
    "different authors",
    "with written date",
    "with date",
    "with text",
    "different texts",
    "words",
    "variation of words",
    "share of readers' text",
    "with permalink",
    "with votes",
    "with parent",
)
"""Names of what is measured, in their order; shares are of the records."""
