"""The verdict whether a page shows a wall instead of an article, and which kind of wall.

docs/explanation/extraction.md explains how a wall is distinguished from an article about walls.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from detourage.article import Article
from detourage.html import Page
from detourage.reader.no_article_errors import GoneError, WallError
from detourage.walls.evidence import (
    ExaminedPage,
    has_prose,
    headline_coverage,
    mentions_wall,
    reports_on_wall,
    wall_evidence,
)
from detourage.walls.offers import has_offer_below

SURE: Final = 0.5  # minimum wall probability of a page that counts as having no article
SUSPECTED: Final = 0.05  # minimum wall probability of a page suspected of being a wall
MAX_WALL_CHARACTERS: Final = 1_200  # a longer text is a wall only if its headline suggests a wall
MIN_HEADLINE_COVERAGE: Final = 0.5  # share of words in wall phrases in such a headline
MIN_BLOCKS: Final = 3  # blocks and images that suffice for an article without sentences or authors

_WallKind = tuple[str, type[WallError] | type[GoneError]]

_FIRST_ERROR_STATUS: Final = 400
_FIRST_SERVER_ERROR_STATUS: Final = 500
_KIND_BY_STATUS: Final[Mapping[int, _WallKind]] = {
    401: ("log-in", WallError),
    402: ("paywall", WallError),
    404: ("not found", GoneError),
    410: ("removed", GoneError),
    429: ("robot check", WallError),
    451: ("region block", WallError),
}
_KIND_BY_CONCEPT: Final[Mapping[str, _WallKind]] = {
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


class Verdict(NamedTuple):
    """The wall that a page may show instead of an article, its probability, and other signs.

    `is_blank`: the page shows only a placeholder, such as "Loading…". `is_truncated`: it shows only
    the beginning of an article for subscribers.
    """

    wall: WallError | GoneError | None = None
    is_blank: bool = False
    is_truncated: bool = False


def judge_wall(page: Page, article: Article | None) -> Verdict:
    """Judge whether a page shows a wall; `article` is None if no text was found.

    Only an HTTP status or a phrase in the text or headlines can make a page a wall. Because other
    lines mention newsletters and cookies on every page of a site, the probability is calculated
    with and without these lines, and the lower one counts.
    """
    status = page.response.status
    is_error = status is not None and status >= _FIRST_ERROR_STATUS
    is_long = article is not None and len(article.text) > MAX_WALL_CHARACTERS
    has_wall_headline = headline_coverage(page, article) >= MIN_HEADLINE_COVERAGE
    is_truncated = article is not None and has_offer_below(page, article)
    if is_long and not is_error and not has_wall_headline:
        return Verdict(is_truncated=is_truncated)
    # Imported here because a long article needs no model.
    from detourage.inference import BoostedTrees, load_model

    whole = ExaminedPage.of(page, article)
    whole_evidence = wall_evidence(whole)
    model = load_model(BoostedTrees, "detourage.walls", "model.json")
    suspicion = float(model.probabilities(whole_evidence.features)[0])
    if suspicion < SUSPECTED and not is_error:
        return Verdict(is_truncated=is_truncated)
    text = whole if article is None or has_wall_headline else whole.without_surroundings()
    text_evidence = wall_evidence(text)
    has_wall_phrase = any(text_evidence.weights[concept] for concept in _KIND_BY_CONCEPT)
    if article is None and not is_error and not has_wall_phrase:
        # Missing text alone does not indicate a wall.
        return Verdict()
    probability = min(suspicion, float(model.probabilities(text_evidence.features)[0]))
    metadata = article.metadata if article is not None else None
    if metadata and metadata.authors and metadata.published is not None and reports_on_wall(text):
        probability = 0.0
    if article and has_wall_phrase and mentions_wall(text, article.confidence):
        probability = 0.0
    if is_error:
        # With an HTTP error, a page that looks like an article is usually an error page.
        probability = 1.0
    is_stated = has_wall_phrase or is_error
    kind, error = _kind(text_evidence.weights, status) if is_stated else ("unknown", WallError)
    wall = error(kind, probability if is_stated else 0.0)
    # A text without sentences is not necessarily a placeholder.
    is_likely_article = article is not None and (
        bool(article.metadata.authors) or len(article.blocks) + len(article.images) >= MIN_BLOCKS
    )
    is_placeholder = not (is_stated or is_likely_article or has_prose(whole))
    is_blank = is_placeholder and probability >= SURE
    return Verdict(wall, is_blank, is_truncated)


def _kind(weights: Mapping[str, float], status: int | None) -> _WallKind:
    """Return the kind of a wall, from the HTTP status or else from the weights of the concepts."""
    if status is not None and status in _KIND_BY_STATUS:
        return _KIND_BY_STATUS[status]
    if status is not None and status >= _FIRST_SERVER_ERROR_STATUS:
        return _KIND_BY_CONCEPT["trouble"]
    return _KIND_BY_CONCEPT[max(_KIND_BY_CONCEPT, key=lambda concept: weights[concept])]
