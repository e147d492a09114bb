"""Network that assigns roles to lines in context."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from models.roles import TEXT_ROLES
from worker.article.hashed_words import HashedWords
from worker.inference import Features, LineNetwork

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RoleNetwork:
    """A network whose outputs are the logits of `roles`, in this order."""

    roles: tuple[str, ...]
    network: LineNetwork

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Restore a network from the output of `to_parameters`."""
        return cls(tuple(parameters["roles"]), LineNetwork.from_parameters(parameters))

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters as JSON-serialisable values."""
        return {"roles": list(self.roles), **self.network.to_parameters()}

    def judge(self, features: Features, words: HashedWords) -> "RoleLogits":
        """Classify the lines near an article, which must be complete and in page order.

        `features` may have columns that the network does not use; `words` are the words of the
        lines and of their enclosing elements.
        """
        known = features.chosen(self.network.columns)
        return RoleLogits(self.roles, self.network.outputs(known, words.bags))


@dataclass(frozen=True)
class RoleLogits:
    """The network's output for a set of lines: `logits` has shape (lines, roles)."""

    roles: tuple[str, ...]
    logits: Floats

    @property
    def text_log_odds(self) -> Floats:
        """Log odds that each line has a role of the text."""
        is_inner = np.isin(self.roles, TEXT_ROLES)
        inner, outer = self.logits[:, is_inner], self.logits[:, ~is_inner]
        return np.asarray(
            np.logaddexp.reduce(inner, axis=1) - np.logaddexp.reduce(outer, axis=1),
            dtype=np.float64,
        )

    def log_probabilities(self, roles: tuple[str, ...]) -> Floats:
        """Return the log probabilities of the given roles, if a line has any of these roles."""
        logits = self.logits[:, [self.roles.index(role) for role in roles]]
        sums = np.logaddexp.reduce(logits, axis=1, keepdims=True)
        return np.asarray(logits - sums, dtype=np.float64)
