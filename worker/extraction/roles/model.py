"""The model of roles: whether a line is text, and what it is then, or what it is else."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

from models.roles import TEXT_ROLES, LineRole
from worker.extraction.finding import FoundRole
from worker.learning import BoostedTrees, Features, load_model
from worker.learning.classes import ClassTrees

Floats = npt.NDArray[np.float64]


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
            A row for each line; other columns than it was trained on may be there, too.
        roles
            Names of the roles. With those of `TEXT_ROLES` and no other, one classifier says it.
        """
        features = features.chosen(self.text.columns)
        is_text = self.text.probabilities(features)
        chosen = set(roles)
        if chosen == set(TEXT_ROLES):
            return is_text
        inner = self.inner.probabilities(features)[:, [r in chosen for r in self.inner.classes]]
        outer = self.outer.probabilities(features)[:, [r in chosen for r in self.outer.classes]]
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
        features = features.chosen(self.text.columns)
        is_text = self.text.probabilities(features)[:, None]
        names, inner = self.inner.classes, is_text * self.inner.probabilities(features)
        if not with_outer:
            return cast(tuple[LineRole, ...], names), inner
        outer = (1 - is_text) * self.outer.probabilities(features)
        names += self.outer.classes
        return cast(tuple[LineRole, ...], names), np.concatenate([inner, outer], axis=1)


def trained_model() -> RoleModel:
    """Return the classifier that is shipped."""
    return load_model(RoleModel, "worker.extraction", "roles/model.json").model
