"""The network that tells the roles of lines, each beside those around it."""

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
    """A network whose outputs are the logits of roles.

    Attributes
    ----------
    roles
        Names of the roles, in the order of the outputs.
    network
        The network.
    """

    roles: tuple[str, ...]
    network: LineNetwork

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the network with the parameters that `to_parameters` gave."""
        return cls(tuple(parameters["roles"]), LineNetwork.from_parameters(parameters))

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        return {"roles": list(self.roles), **self.network.to_parameters()}

    def judge(self, features: Features, words: HashedWords) -> "RoleLogits":
        """Weigh the lines near an article, all of them, in order.

        Parameters
        ----------
        features
            A row for each; other columns than it was trained on may be there, too.
        words
            Their words, and those of the elements around them.
        """
        known = features.chosen(self.network.columns)
        return RoleLogits(self.roles, self.network.outputs(known, words.bags))


@dataclass(frozen=True)
class RoleLogits:
    """What the network says of lines.

    Attributes
    ----------
    roles
        Names of the roles.
    logits
        Shape (lines, roles).
    """

    roles: tuple[str, ...]
    logits: Floats

    @property
    def text_log_odds(self) -> Floats:
        """For each line the log odds that it has a role of the text."""
        is_inner = np.isin(self.roles, TEXT_ROLES)
        inner, outer = self.logits[:, is_inner], self.logits[:, ~is_inner]
        return np.asarray(
            np.logaddexp.reduce(inner, axis=1) - np.logaddexp.reduce(outer, axis=1),
            dtype=np.float64,
        )

    def log_probabilities(self, roles: tuple[str, ...]) -> Floats:
        """Return the logarithms of the probabilities of some roles, if the line has one of them."""
        logits = self.logits[:, [self.roles.index(role) for role in roles]]
        sums = np.logaddexp.reduce(logits, axis=1, keepdims=True)
        return np.asarray(logits - sums, dtype=np.float64)
