"""What is known beside a page: what it showed before tells a wall that the page alone does not."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from worker.content import Content
from worker.outcomes import PageOutcome
from worker.store import articles
from worker.store.extraction_jobs import ExtractionJob, PageState
from worker.stories.fingerprint import fingerprint_of
from worker.tasks.no_article import NoArticle

LOW: Final = 0.5
"""Confidence below which a text that took an article's place may be a wall, suspected or not."""

MUCH_SHORTER: Final = 1 / 3
"""Share of the article's length that it has at most; an article written anew may be as short."""

LITTLE: Final = 0.1
"""Share of its shingles that it has from the article at most."""

Extracted = tuple[ExtractionJob, PageState, Content | NoArticle]


def without_walls(session: Session, extracted: Sequence[Extracted]) -> list[Extracted]:
    """Return what was extracted, but for texts that took an article's place and are none.

    Such a text is much shorter than the article that went out, shares next to nothing with it,
    and is suspected to be a wall by itself, or hardly likely to be right.
    """
    doubted = [
        job.page_id
        for job, page, result in extracted
        if page.revision and isinstance(result, Content) and _is_doubted(result)
    ]
    before = articles.last_texts(session, doubted) if doubted else {}
    return [
        (job, page, _judged(result, before.get(job.page_id))) for job, page, result in extracted
    ]


def _is_doubted(content: Content) -> bool:
    return content.suspected is not None or content.article.confidence < LOW


def _judged(result: Content | NoArticle, before: str | None) -> Content | NoArticle:
    if before is None or isinstance(result, NoArticle):
        return result
    if not took_place_of(result.article.text, before):
        return result
    outcome = result.suspected.outcome if result.suspected is not None else PageOutcome.WALL
    return NoArticle(
        PageOutcome(outcome), "another, much shorter text stands in the article's place"
    )


def took_place_of(text: str, before: str) -> bool:
    """Tell whether a text is much shorter than another, and shares next to nothing with it."""
    if len(text) > MUCH_SHORTER * len(before):
        return False
    own = fingerprint_of(text).shingles
    return bool(np.isin(own, fingerprint_of(before).shingles).sum() <= LITTLE * len(own))
