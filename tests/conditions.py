"""Conditions for queries about the state of a deployment."""

from sqlalchemy import ColumnElement, and_, or_

from detourage.outcomes import PageOutcome
from models.tables import PageParts, StoredPage


def has_article() -> ColumnElement[bool]:
    """Condition: the page's latest revision is current, even if the page is now behind a wall."""
    is_missed = StoredPage.outcome.in_((PageOutcome.WALL, PageOutcome.GONE))
    return or_(StoredPage.outcome == PageOutcome.ARTICLE, and_(is_missed, StoredPage.revision > 0))


def is_pending() -> ColumnElement[bool]:
    """Condition: the page has no outcome yet, or is to be extracted again."""
    return or_(
        StoredPage.outcome.is_(None),
        StoredPage.forced,
        StoredPage.extracted_generation < StoredPage.generation,
    )


def parts_are_due() -> ColumnElement[bool]:
    """Condition: the page is due for joining."""
    return PageParts.version > PageParts.seen_version
