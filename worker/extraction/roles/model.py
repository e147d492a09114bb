"""The model of roles: whether a line is text, and what it is then, or what it is else."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

from models.roles import TEXT_ROLES, LineRole
from worker.extraction.finding import FoundRole
from worker.learning import BoostedTrees, Features, likelihoods, load_model
from worker.learning.classes import ClassTrees

Floats = npt.NDArray[np.float64]

SAID_FIRST = "keep"
"""Column with what the first pass says of a line."""

OF_FIRST_PASS = 0.5
"""Weight of the first pass's log odds in whether a line is text.

The first pass has learnt from ten times as many pages, the second from what readers call text. Of
142 pages, cross-validated, 47.9 % come out exactly right with weights of 0.7 and 0.5, 45.1 with
0.3, 43.0 by the first pass alone. F1 on wcxb and daniel is the same with 0.7 and 0.5.
"""

LEAST = 1e-4
"""Probability below which one is taken for no smaller."""


@dataclass(frozen=True)
class RoleModel:
    """A classifier of lines into roles, in two steps.

    Whether a line is the article's text can be learnt from every page with a gold text, what kind
    of text from the few whose lines have roles, so each is a classifier by itself.

    Attributes
    ----------
    text
        Whether a line is text: of the roles `TEXT_ROLES`.
    inner, outer
        Which role a line of the text has, and which any other.
    """

    KIND: ClassVar[str] = "roles of lines"

    text: BoostedTrees
    inner: ClassTrees
    outer: ClassTrees

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the classifier with the parameters that `to_parameters` gave."""
        columns = parameters["columns"]
        return cls(
            BoostedTrees.from_parameters({**parameters["text"], "columns": columns}),
            ClassTrees.from_parameters({"classes": parameters["inner"], "columns": columns}),
            ClassTrees.from_parameters({"classes": parameters["outer"], "columns": columns}),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        text = self.text.to_parameters()
        return {
            "columns": text.pop("columns"),
            "text": text,
            "inner": self.inner.to_parameters()["classes"],
            "outer": self.outer.to_parameters()["classes"],
        }

    def text_probabilities(self, features: Features, roles: Collection[str]) -> Floats:
        """Return for each line the probability that it has one of some roles.

        Parameters
        ----------
        features
            A row for each line; other columns than it was trained on may be there, too. What the
            first pass says of the line is one of them.
        roles
            Names of the roles. With those of `TEXT_ROLES` and no other, one classifier says it.
        """
        is_text, inner = self._of_text(features)
        chosen = set(roles)
        if chosen == set(TEXT_ROLES):
            return is_text
        inner = inner[:, [role in chosen for role in self.inner.classes]]
        outer = self.outer.probabilities(features.chosen(self.outer.columns))
        outer = outer[:, [role in chosen for role in self.outer.classes]]
        chosen_text: Floats = is_text * inner.sum(axis=1) + (1 - is_text) * outer.sum(axis=1)
        return chosen_text

    def likeliest(self, features: Features, roles: Collection[LineRole]) -> list[FoundRole]:
        """Return for each line the likeliest of some roles.

        Probabilities are of the role alone, whatever else the line may be.
        """
        names, probabilities = self.role_probabilities(
            features, with_outer=not set(roles) <= set(TEXT_ROLES)
        )
        chosen = [place for place, name in enumerate(names) if name in roles]
        best = np.argmax(probabilities[:, chosen], axis=1)
        return [
            FoundRole(names[chosen[at]], float(row[chosen[at]]))
            for at, row in zip(best.tolist(), probabilities, strict=True)
        ]

    def role_probabilities(
        self, features: Features, *, with_outer: bool = True
    ) -> tuple[tuple[LineRole, ...], Floats]:
        """Return names of roles, and for each line the probability of each.

        Parameters
        ----------
        features
            A row for each line.
        with_outer
            Whether roles outside of the text are wanted, too.
        """
        is_text, inner = self._of_text(features)
        names, inner = self.inner.classes, is_text[:, None] * inner
        if not with_outer:
            return cast(tuple[LineRole, ...], names), inner
        outer = self.outer.probabilities(features.chosen(self.outer.columns))
        outer = (1 - is_text)[:, None] * outer
        names += self.outer.classes
        return cast(tuple[LineRole, ...], names), np.concatenate([inner, outer], axis=1)

    def _of_text(self, features: Features) -> tuple[Floats, Floats]:
        """Return the probability that a line is text, by both passes, and those of its roles then.

        Of leads the second pass alone decides: many golds that the first learnt from leave them
        out.
        """
        first = features.rows[:, features.columns.index(SAID_FIRST)].astype(np.float64)
        features = features.chosen(self.text.columns)
        second, inner = self.text.probabilities(features), self.inner.probabilities(features)
        log_odds = OF_FIRST_PASS * _log_odds(first) + (1 - OF_FIRST_PASS) * _log_odds(second)
        both = likelihoods(log_odds)
        is_lead = inner[:, [role == "lead" for role in self.inner.classes]].sum(axis=1)
        return np.asarray(is_lead * second + (1 - is_lead) * both, dtype=np.float64), inner


def _log_odds(probabilities: Floats) -> Floats:
    bounded = np.clip(probabilities, LEAST, 1 - LEAST)
    return np.asarray(np.log(bounded / (1 - bounded)), dtype=np.float64)


def trained_model() -> RoleModel:
    """Return the classifier that is shipped."""
    return load_model(RoleModel, "worker.extraction", "roles/model.json").model
