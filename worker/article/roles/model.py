"""Role classifier, which decides whether a line is text, and which role it has."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

from models.roles import TEXT_ROLES, LineRole
from worker.article.finding import FoundRole
from worker.article.hashed_words import HashedWords
from worker.article.line_classifier import MAX_LINES, no_more_than_trees
from worker.article.roles.network import RoleLogits, RoleNetwork
from worker.inference import BoostedTrees, Features, likelihoods, load_model
from worker.inference.classes import ClassTrees

Floats = npt.NDArray[np.float64]

SAID_FIRST = "keep"
"""Name of the column with the article probability of each line from the first pass."""

OF_FIRST_PASS = 0.5
"""Weight of the first pass's log odds in the decision whether a line is text.

The first pass was trained on ten times as many pages, the second on what readers consider text. Of
142 pages, cross-validated, 47.9 % are extracted exactly with weights of 0.7 and 0.5, 45.1 % with
0.3, and 43.0 % with the first pass alone. F1 on wcxb and daniel is the same for 0.7 and 0.5.
"""

OF_NETWORK = 0.5
"""Weight of the network relative to the trees of both passes, and to the role trees.

Of 142 pages, cross-validated in three folds, 42.3 % are extracted exactly without the network,
48.6 % with 0.3, 50.7 % with 0.5, and 50.0 % with the network alone, whose F1 on 845 pages with a
known text is .9595 instead of .9611.
"""

LEAST = 1e-4
"""Lower bound to which probabilities are clipped."""

MOST = -log(LEAST)
"""Absolute value to which the network's log odds are clipped."""


@dataclass(frozen=True)
class RoleModel:
    """A classifier that assigns roles to lines by combining two-step trees with a network.

    Every page with a gold text reveals which lines are text, but only a few have gold roles. There
    are therefore separate trees for each question. The network answers both questions and sees each
    line in context.

    Attributes
    ----------
    text
        Trees that decide whether a line is text, that is, has any of `TEXT_ROLES`.
    inner, outer
        Trees that decide the role of a line of the text, and of any other line.
    network
        The network, or None to use the trees alone.
    """

    KIND: ClassVar[str] = "roles of lines"

    text: BoostedTrees
    inner: ClassTrees
    outer: ClassTrees
    network: RoleNetwork | None = None

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Restore a classifier from the output of `to_parameters`."""
        columns, network = parameters["columns"], parameters["network"]
        return cls(
            BoostedTrees.from_parameters({**parameters["text"], "columns": columns}),
            ClassTrees.from_parameters({"classes": parameters["inner"], "columns": columns}),
            ClassTrees.from_parameters({"classes": parameters["outer"], "columns": columns}),
            None if network is None else RoleNetwork.from_parameters(network),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters as JSON-serialisable values."""
        text = self.text.to_parameters()
        return {
            "columns": text.pop("columns"),
            "text": text,
            "inner": self.inner.to_parameters()["classes"],
            "outer": self.outer.to_parameters()["classes"],
            "network": None if self.network is None else self.network.to_parameters(),
        }

    def judge(self, features: Features, words: HashedWords) -> "JudgedRoles":
        """Classify the lines near an article, which must be in page order.

        `features` may have columns that the model does not use; one column must be the first pass's
        probability (see `SAID_FIRST`). `words` are the words of the lines and of their enclosing
        elements.
        """
        by_network = None
        if self.network is not None and len(features.rows) <= MAX_LINES:
            by_network = self.network.judge(features, words)
        return JudgedRoles(self, features, by_network)


@dataclass(frozen=True, eq=False)
class JudgedRoles:
    """The classifier's verdict on the lines near an article.

    `by_network` is the network's output; None if the trees are used alone.
    """

    model: RoleModel
    features: Features
    by_network: RoleLogits | None

    def text_probabilities(self, roles: Collection[str]) -> Floats:
        """Return the probability that each line has one of the given roles.

        `TEXT_ROLES` as a whole takes a fast path.
        """
        chosen = set(roles)
        if chosen == set(TEXT_ROLES):
            return self._is_text
        names, probabilities = self.role_probabilities()
        of_roles: Floats = probabilities[:, [name in chosen for name in names]].sum(axis=1)
        return of_roles

    def likeliest(
        self, places: npt.NDArray[np.int64], roles: Collection[LineRole]
    ) -> list[FoundRole]:
        """Return for each of the given lines the likeliest of the given roles.

        The probabilities are relative to all roles, not just the given ones.
        """
        names, probabilities = self.role_probabilities(with_outer=not set(roles) <= set(TEXT_ROLES))
        chosen = [place for place, name in enumerate(names) if name in roles]
        probabilities = probabilities[places]
        best = np.argmax(probabilities[:, chosen], axis=1)
        return [
            FoundRole(names[chosen[at]], float(row[chosen[at]]))
            for at, row in zip(best.tolist(), probabilities, strict=True)
        ]

    def role_probabilities(self, *, with_outer: bool = True) -> tuple[tuple[LineRole, ...], Floats]:
        """Return the roles, and each line's probability of each; optionally only text roles."""
        names, found = self.model.inner.classes, self._inner
        if with_outer:
            names += self.model.outer.classes
            found = np.concatenate([found, self._outer], axis=1)
        return cast(tuple[LineRole, ...], names), found

    @cached_property
    def _inner(self) -> Floats:
        """Probabilities of the roles of text, for each line."""
        within = self._with_network(self._inner_by_trees, self.model.inner.classes)
        return self._is_text[:, None] * within

    @cached_property
    def _outer(self) -> Floats:
        """Probabilities of the roles outside the text, for each line."""
        by_trees = self.model.outer.probabilities(self._known)
        within = self._with_network(by_trees, self.model.outer.classes)
        return (1 - self._is_text[:, None]) * within

    @cached_property
    def _is_text(self) -> Floats:
        """Probability that each line is text, from the trees of both passes and the network.

        The first pass is ignored for leads, because many of its gold texts omit them.
        """
        first_pass = self.features.rows[:, self.features.columns.index(SAID_FIRST)]
        second = self.model.text.probabilities(self._known)
        log_odds = OF_FIRST_PASS * _log_odds(first_pass.astype(np.float64))
        log_odds += (1 - OF_FIRST_PASS) * _log_odds(second)
        leads = [role == "lead" for role in self.model.inner.classes]
        is_lead = self._inner_by_trees[:, leads].sum(axis=1)
        by_trees: Floats = is_lead * second + (1 - is_lead) * likelihoods(log_odds)
        if self.by_network is None:
            return by_trees
        log_odds = _log_odds(by_trees)
        by_network = np.clip(self.by_network.text_log_odds, -MOST, MOST)
        by_network = no_more_than_trees(log_odds, by_network, self.features)
        return likelihoods((1 - OF_NETWORK) * log_odds + OF_NETWORK * by_network)

    def _with_network(self, by_trees: Floats, roles: tuple[str, ...]) -> Floats:
        """Combine conditional probabilities of the given roles from trees and network."""
        if self.by_network is None:
            return by_trees
        by_network = np.maximum(self.by_network.log_probabilities(roles), -MOST)
        logits = (1 - OF_NETWORK) * np.log(np.maximum(by_trees, LEAST))
        weights = np.exp(logits + OF_NETWORK * by_network)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)

    @cached_property
    def _inner_by_trees(self) -> Floats:
        return self.model.inner.probabilities(self._known)

    @cached_property
    def _known(self) -> Features:
        return self.features.chosen(self.model.text.columns)


def _log_odds(probabilities: Floats) -> Floats:
    bounded = np.clip(probabilities, LEAST, 1 - LEAST)
    return np.asarray(np.log(bounded / (1 - bounded)), dtype=np.float64)


def trained_model() -> RoleModel:
    """Return the shipped role classifier."""
    return load_model(RoleModel, "worker.article", "roles/model.json").model
