"""The kind of a page, by trees that weigh its evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_args

from models.kinds import Kind
from worker.inference import BoostedTrees, Features, load_model

MIN_PROBABILITY = 0.15
"""Probability of a kind below which a page is an article: what was sent to be read as one.

Of 1,403 pages of wcxb 19 are below for every kind, and one less is right. A thread is read as one
only where its posts are found, so that a forum needs no limit.
"""


@dataclass(frozen=True)
class KindTrees:
    """Trees for each kind against all others; the kind with the highest log odds is the page's.

    Attributes
    ----------
    of_kind
        The trees of each kind.
    """

    KIND: ClassVar[str] = "kinds of pages"

    of_kind: Mapping[Kind, BoostedTrees]

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the classifier with the parameters that `to_parameters` gave.

        Raises
        ------
        ValueError
            If there is a kind that no page can have.
        """
        unknown = set(parameters["kinds"]) - set(get_args(Kind))
        if unknown:
            raise ValueError(f"unknown kinds of pages: {sorted(unknown)}")
        return cls(
            {kind: BoostedTrees.from_parameters(each) for kind, each in parameters["kinds"].items()}
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        return {"kinds": {kind: trees.to_parameters() for kind, trees in self.of_kind.items()}}

    def kind(self, features: Features) -> Kind:
        """Return the kind of the page that a row of evidence tells of."""
        return likeliest(self.probabilities(features))

    def probabilities(self, features: Features) -> dict[Kind, float]:
        """Return for each kind the probability that the page is of it, and of none else."""
        return {
            kind: float(trees.probabilities(features)[0]) for kind, trees in self.of_kind.items()
        }


def likeliest(probabilities: Mapping[Kind, float]) -> Kind:
    """Return the kind with the highest probability, of equal ones the first.

    A page that is likely of no kind is an article, see `MIN_PROBABILITY`.
    """
    found = max(probabilities, key=lambda kind: probabilities[kind])
    is_told = found == "forum" or probabilities[found] >= MIN_PROBABILITY
    return found if is_told else "article"


def trained_kinds() -> KindTrees:
    """Return the classifier of pages."""
    return load_model(KindTrees, "worker.article.kinds", "model.json").model


def kinds_of(evidence: Features) -> dict[Kind, float]:
    """Return how likely the trees find each kind, of a page that declares none.

    Parameters
    ----------
    evidence
        `kind_evidence` of the page.
    """
    return trained_kinds().probabilities(evidence)
