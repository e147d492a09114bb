"""Model of a page: the role of each line and the kind of the page, from a single network."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, get_args

import numpy as np
import numpy.typing as npt

from models.kinds import Kind
from models.roles import ALL_ROLES, TEXT_ROLES, LineRole
from worker.article.evidence import Evidence
from worker.article.finding import FoundRole
from worker.inference import Features, LineNetwork, load_model

MAX_LINES = 10_000
"""Maximum number of lines judged together; longer pages are split.

The network needs about 12 kB of memory per line. The longest of 1,582 current pages has 2,641
lines.
"""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PageModel:
    """A network whose outputs are a logit for each role of a line and for each kind of page.

    Attributes
    ----------
    roles
        Roles in the order of the network's outputs for a line.
    kinds
        Kinds in the order of its outputs for the page.
    network
        The network.
    """

    KIND: ClassVar[str] = "roles of lines and kind of page"

    roles: tuple[LineRole, ...]
    kinds: tuple[Kind, ...]
    network: LineNetwork

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Restore a model from the output of `to_parameters`.

        Raises ValueError if a role or kind is unknown.
        """
        roles, kinds = tuple(parameters["roles"]), tuple(parameters["kinds"])
        unknown = sorted({*roles} - {*ALL_ROLES} | {*kinds} - {*get_args(Kind)})
        if unknown:
            raise ValueError(f"unknown roles or kinds: {', '.join(unknown)}")
        return cls(roles, kinds, LineNetwork.from_parameters(parameters["network"]))

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters as JSON-serialisable values."""
        return {
            "roles": list(self.roles),
            "kinds": list(self.kinds),
            "network": self.network.to_parameters(),
        }

    def judge(self, evidence: Evidence) -> "JudgedPage":
        """Judge a page from the evidence of its lines.

        Raises RuntimeError if the evidence and the training data have different columns.
        """
        count = len(evidence.lines)
        if not count:
            return JudgedPage(evidence, self.roles, np.empty((0, len(self.roles))), {})
        rows, columns = evidence.features.rows, evidence.features.columns
        pieces = [
            self.network.outputs(
                Features(columns, rows[start : start + MAX_LINES]),
                [bag[start : start + MAX_LINES] for bag in evidence.words.bags],
            )
            for start in range(0, count, MAX_LINES)
        ]
        of_lines = np.concatenate([softmax(piece.of_lines) for piece in pieces])
        # The kind is judged from the start of the page.
        of_page = softmax(pieces[0].of_page[None, :])[0].tolist()
        return JudgedPage(
            evidence, self.roles, of_lines, dict(zip(self.kinds, of_page, strict=True))
        )


@dataclass(frozen=True, eq=False)
class JudgedPage:
    """The lines of a page with the probability of each role, and the probability of each kind.

    Attributes
    ----------
    evidence
        The lines and their evidence.
    roles
        Roles in the order of the columns of `of_roles`.
    of_roles
        Probability of each role, shape (lines, roles); each row sums to 1.
    kinds
        Probability of each kind; empty for a page without lines.
    """

    evidence: Evidence
    roles: tuple[LineRole, ...]
    of_roles: Floats
    kinds: Mapping[Kind, float]

    @cached_property
    def probabilities(self) -> Floats:
        """Probability that each line belongs to the text with the default roles (`TEXT_ROLES`)."""
        return self.probability_of(TEXT_ROLES)

    def probability_of(self, roles: Collection[str]) -> Floats:
        """Return the probability that each line has one of the given roles."""
        chosen = [role in roles for role in self.roles]
        return np.asarray(self.of_roles[:, chosen].sum(axis=1), dtype=np.float64)

    @property
    def kind(self) -> Kind:
        """The most probable kind of the page; on a tie, the first one."""
        return max(self.kinds, key=lambda kind: self.kinds[kind], default="article")

    def likeliest(
        self, places: npt.NDArray[np.int64], roles: Collection[LineRole]
    ) -> list[FoundRole]:
        """Return for each of the given lines the most probable of the given roles."""
        chosen = [place for place, role in enumerate(self.roles) if role in roles]
        of_chosen = self.of_roles[places][:, chosen]
        best = of_chosen.argmax(axis=1)
        return [
            FoundRole(self.roles[chosen[at]], float(row[at]))
            for at, row in zip(best.tolist(), of_chosen, strict=True)
        ]


def trained_model() -> PageModel:
    """Return the shipped model."""
    return load_model(PageModel, "worker.article", "model.json").model


def softmax(logits: Floats) -> Floats:
    """Return the class probabilities for each row of logits."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)
