"""Model of a page, which judges the role of each line and the kind of the page in a single pass.

A network reads the sequence of lines and their words; boosted trees read the features of each line.
Their log odds that a line belongs to the text are averaged.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self, get_args

import numpy as np
import numpy.typing as npt

from detourage.inference import BoostedTrees, Features, LineNetwork, likelihoods, load_model
from detourage.reader.evidence import Evidence
from detourage.reader.finding import FoundRole
from detourage.roles import ALL_ROLES, TEXT_ROLES, Kind, LineRole

MAX_LINES = 10_000
"""Maximum number of lines judged together, because the network needs about 12 kB of memory per
line.
"""

MIN_COMMENT = 0.05
"""Minimum probability that some line is a comment, or that the page is a forum page, for the page
to be searched for comments."""

Floats = npt.NDArray[np.float64]


class Opinions(NamedTuple):
    """Probability that each line belongs to the text, according to each member of the model."""

    network: Floats
    trees: Floats


@dataclass(frozen=True)
class PageModel:
    """A network that judges the lines and the page as a whole, and trees that judge only the lines.

    The network gives a logit for each of `roles` per line and for each of `kinds` per page; the
    trees give the log odds that a line belongs to the text.
    """

    KIND: ClassVar[str] = "roles of lines and kind of page"

    roles: tuple[LineRole, ...]
    kinds: tuple[Kind, ...]
    network: LineNetwork
    trees: BoostedTrees

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Restore a model from `to_parameters`; raise ValueError if a role or kind is unknown."""
        roles, kinds = tuple(parameters["roles"]), tuple(parameters["kinds"])
        unknown = sorted({*roles} - {*ALL_ROLES} | {*kinds} - {*get_args(Kind)})
        if unknown:
            raise ValueError(f"unknown roles or kinds: {', '.join(unknown)}")
        return cls(
            roles,
            kinds,
            LineNetwork.from_parameters(parameters["network"]),
            BoostedTrees.from_parameters(parameters["trees"]),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters as JSON-serialisable values."""
        return {
            "roles": list(self.roles),
            "kinds": list(self.kinds),
            "network": self.network.to_parameters(),
            "trees": self.trees.to_parameters(),
        }

    def judge(self, evidence: Evidence) -> "JudgedPage":
        """Judge a page from the evidence of its lines.

        Raises RuntimeError if the columns differ from those of the training data.
        """
        count = len(evidence.lines)
        if not count:
            nothing = np.empty(0)
            of_roles = np.empty((0, len(self.roles)))
            return JudgedPage(evidence, self.roles, of_roles, {}, Opinions(nothing, nothing))
        rows, columns = evidence.features.rows, evidence.features.columns
        pieces = [
            self.network.outputs(
                Features(columns, rows[start : start + MAX_LINES]),
                [bag[start : start + MAX_LINES] for bag in evidence.words.bags],
            )
            for start in range(0, count, MAX_LINES)
        ]
        of_lines = np.concatenate([piece.of_lines for piece in pieces])
        of_roles, opinions = self._with_trees(of_lines, self.trees.log_odds(evidence.features))
        # The kind of the page is judged by its beginning.
        of_page = softmax(pieces[0].of_page[None, :])[0].tolist()
        kinds = dict(zip(self.kinds, of_page, strict=True))
        return JudgedPage(evidence, self.roles, of_roles, kinds, opinions)

    def _with_trees(self, logits: Floats, of_trees: Floats) -> tuple[Floats, Opinions]:
        """Shift the text roles so that the log odds of text are the mean of the two members'."""
        is_text = np.isin(self.roles, TEXT_ROLES)
        of_network = np.logaddexp.reduce(logits[:, is_text], axis=1) - np.logaddexp.reduce(
            logits[:, ~is_text], axis=1
        )
        of_roles = softmax(logits + np.outer((of_trees - of_network) / 2, is_text))
        return of_roles, Opinions(likelihoods(of_network), likelihoods(of_trees))


@dataclass(frozen=True, eq=False)
class JudgedPage:
    """The lines of a page with the probability of each role and of each kind of page.

    `of_roles` has the shape (lines, roles), and its rows sum to 1. `kinds` is empty for a page
    without lines.
    """

    evidence: Evidence
    roles: tuple[LineRole, ...]
    of_roles: Floats
    kinds: Mapping[Kind, float]
    opinions: Opinions

    @cached_property
    def probabilities(self) -> Floats:
        """Probability that each line belongs to the text, that is, has one of `TEXT_ROLES`."""
        return self.probability_of(TEXT_ROLES)

    def probability_of(self, roles: Collection[str]) -> Floats:
        """Return, for each line, the probability that it has one of the given roles."""
        chosen = [role in roles for role in self.roles]
        return np.asarray(self.of_roles[:, chosen].sum(axis=1), dtype=np.float64)

    @property
    def kind(self) -> Kind:
        """Most probable kind of the page; the first one in case of a tie."""
        return max(self.kinds, key=lambda kind: self.kinds[kind], default="article")

    @property
    def may_have_comments(self) -> bool:
        """Whether some line is likely enough to be a comment, or the page to be a forum page."""
        most = float(self.probability_of(("comment",)).max(initial=0.0))
        return max(most, self.kinds.get("forum", 0.0)) >= MIN_COMMENT

    def likeliest(
        self, places: npt.NDArray[np.int64], roles: Collection[LineRole]
    ) -> list[FoundRole]:
        """Return the most probable of the given roles for each of the given lines."""
        chosen = [place for place, role in enumerate(self.roles) if role in roles]
        of_chosen = self.of_roles[places][:, chosen]
        best = of_chosen.argmax(axis=1)
        return [
            FoundRole(self.roles[chosen[at]], float(row[at]))
            for at, row in zip(best.tolist(), of_chosen, strict=True)
        ]


def trained_model() -> PageModel:
    """Return the shipped model."""
    return load_model(PageModel, "detourage.reader", "model.json")


def softmax(logits: Floats) -> Floats:
    """Return the class probabilities for each row of logits."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)
