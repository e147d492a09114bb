"""The reason why a page has no article."""

from dataclasses import dataclass

from worker.outcomes import PageOutcome


@dataclass(frozen=True)
class NoArticle:
    """The reason why a page has no article, as an outcome and an explanation."""

    outcome: PageOutcome
    detail: str
