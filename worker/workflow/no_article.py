"""Why a page has no article."""

from dataclasses import dataclass

from worker.outcomes import PageOutcome


@dataclass(frozen=True)
class NoArticle:
    """Why a page has no article: a code and a sentence."""

    outcome: PageOutcome
    detail: str
