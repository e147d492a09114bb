"""Classifier of page kinds, which consists of boosted trees over the page's evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_args

from models.kinds import Kind
from worker.inference import BoostedTrees, Features, load_model

MIN_PROBABILITY = 0.15
"""Minimum probability of a kind. If no kind reaches it, the page is taken to be an article.

Of 1,403 pages of wcxb, 19 do not reach it for any kind, and one page fewer is classified correctly.
Forums need no minimum: a page is read as a thread only if posts are found.
"""


@dataclass(frozen=True)
class KindTrees:
    """One-against-rest trees for each kind; the kind with the highest log odds wins."""

    KIND: ClassVar[str] = "kinds of pages"

    of_kind: Mapping[Kind, BoostedTrees]

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Restore a classifier from the output of `to_parameters`.

        Raises ValueError if it includes an unknown kind.
        """
        unknown = set(parameters["kinds"]) - set(get_args(Kind))
        if unknown:
            raise ValueError(f"unknown kinds of pages: {sorted(unknown)}")
        return cls(
            {kind: BoostedTrees.from_parameters(each) for kind, each in parameters["kinds"].items()}
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters as JSON-serialisable values."""
        return {"kinds": {kind: trees.to_parameters() for kind, trees in self.of_kind.items()}}

    def kind(self, features: Features) -> Kind:
        """Return the likeliest kind of a page, given its row of evidence."""
        return likeliest(self.probabilities(features))

    def probabilities(self, features: Features) -> dict[Kind, float]:
        """Return the probability of each kind against all others; they need not sum to 1."""
        return {
            kind: float(trees.probabilities(features)[0]) for kind, trees in self.of_kind.items()
        }


def likeliest(probabilities: Mapping[Kind, float]) -> Kind:
    """Return the kind with the highest probability; on a tie, the first one.

    A page that is unlikely to be of any kind is an article (see `MIN_PROBABILITY`).
    """
    found = max(probabilities, key=lambda kind: probabilities[kind])
    is_likely = found == "forum" or probabilities[found] >= MIN_PROBABILITY
    return found if is_likely else "article"


def trained_kinds() -> KindTrees:
    """Return the shipped classifier of page kinds."""
    return load_model(KindTrees, "worker.article.kinds", "model.json").model


def kinds_of(evidence: Features) -> dict[Kind, float]:
    """Return each kind's probability, given the `kind_evidence` of a page that declares none."""
    return trained_kinds().probabilities(evidence)
