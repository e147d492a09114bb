"""What stands in the place of an article: a wall, or word that nothing is there any longer.

How it is told apart from an article about walls: docs/explanation/walls.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, Self

from worker.article.errors import GoneError, WallError
from worker.article.result import Extraction
from worker.article.walls.evidence import Read, headline_coverage, wall_evidence
from worker.html import Page
from worker.inference import BoostedTrees, load_model

SURE: Final = 0.5
"""Probability of a wall from which a page has no article, whatever else is known of it."""

SUSPECTED: Final = 0.05
"""Probability of a wall from which what else is known of the page may decide."""

TRUNCATED: Final = 0.5
"""Probability from which an article is only the beginning of one that is sold."""

MAX_WALL: Final = 1_200
"""Characters of a text that is longer than what a wall says: .9 % of 564 generated ones are longer,
and 61 to 94 % of the articles of daniel, wcxb and fundus_body."""

MAX_HEADLINE: Final = 0.5
"""Share of a headline that phrases of walls cover, from which a long text is looked at as well."""

_Named = tuple[str, type[WallError] | type[GoneError]]

_FIRST_ERROR: Final = 400
_FIRST_SERVER_ERROR: Final = 500
_OF_STATUS: Final[Mapping[int, _Named]] = {
    401: ("log-in", WallError),
    402: ("paywall", WallError),
    404: ("not found", GoneError),
    410: ("removed", GoneError),
    429: ("robot check", WallError),
    451: ("region block", WallError),
}
_OF_CONCEPT: Final[Mapping[str, _Named]] = {
    "absent": ("not found", GoneError),
    "removed": ("removed", GoneError),
    "domain": ("parked domain", GoneError),
    "hosting": ("suspended", GoneError),
    "cookie": ("consent", WallError),
    "robot": ("robot check", WallError),
    "denied": ("access denied", WallError),
    "login": ("log-in", WallError),
    "account": ("log-in", WallError),
    "subscribe": ("paywall", WallError),
    "reading": ("paywall", WallError),
    "region": ("region block", WallError),
    "age": ("age check", WallError),
    "adblock": ("ad blocker", WallError),
    "script": ("JavaScript", WallError),
    "app": ("app", WallError),
    "newsletter": ("newsletter", WallError),
    "trouble": ("server error", WallError),
}


@dataclass(frozen=True)
class WallTrees:
    """The model of walls.

    Attributes
    ----------
    wall
        Tells walls from articles.
    truncated
        Tells the beginnings of articles that are sold from whole ones.
    """

    KIND: ClassVar[str] = "walls"

    wall: BoostedTrees
    truncated: BoostedTrees

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the model with the parameters that `to_parameters` gave."""
        return cls(
            wall=BoostedTrees.from_parameters(parameters["wall"]),
            truncated=BoostedTrees.from_parameters(parameters["truncated"]),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        return {"wall": self.wall.to_parameters(), "truncated": self.truncated.to_parameters()}


class Judged(NamedTuple):
    """What a page seems to be in place of an article, and whether its article is cut short.

    Attributes
    ----------
    wall
        What seems to stand in the article's place, with its probability; None for nothing.
    is_truncated
        Whether the article is only the beginning of one that is sold.
    """

    wall: WallError | GoneError | None = None
    is_truncated: bool = False


def judge_wall(page: Page, article: Extraction | None) -> Judged:
    """Tell whether a wall stands in the place of a page's article.

    Parameters
    ----------
    page
        The page, with the HTTP answer that it came with.
    article
        What was read of it; None where nothing reads like an article.
    """
    status = page.answer.status
    is_error = status is not None and status >= _FIRST_ERROR
    is_long = article is not None and len(article.text) > MAX_WALL
    if is_long and not is_error and headline_coverage(page, article) < MAX_HEADLINE:
        return Judged()
    evidence = wall_evidence(Read.of(page, article))
    says_so = any(evidence.weights[concept] for concept in _OF_CONCEPT)
    if article is None and not is_error and not says_so:
        # A page without a text may simply have none.
        return Judged()
    model = trained_walls()
    probability = float(model.wall.probabilities(evidence.features)[0])
    if is_error:
        # A server that calls an article an error is rarer than an error that reads like one.
        probability = 1.0
    wall = None
    if probability >= SUSPECTED:
        kind, error = _named(evidence.weights, status)
        wall = error(kind, probability)
    truncated = float(model.truncated.probabilities(evidence.features)[0])
    return Judged(wall, article is not None and truncated >= TRUNCATED)


def _named(weights: Mapping[str, float], status: int | None) -> _Named:
    if status is not None and status in _OF_STATUS:
        return _OF_STATUS[status]
    if status is not None and status >= _FIRST_SERVER_ERROR:
        return _OF_CONCEPT["trouble"]
    return _OF_CONCEPT[max(_OF_CONCEPT, key=lambda concept: weights[concept])]


def trained_walls() -> WallTrees:
    """Return the model of walls."""
    return load_model(WallTrees, "worker.article.walls", "model.json").model
