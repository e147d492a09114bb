"""SQL conditions that select pages in a certain state."""

from sqlalchemy import ColumnElement, and_, or_

from detourage.outcomes import PageOutcome
from models.tables import PageParts, StoredPage


def has_article() -> ColumnElement[bool]:
    """Select pages with a valid published article, even if a later fetch got a paywall or 404."""
    is_hidden = StoredPage.outcome.in_((PageOutcome.WALL, PageOutcome.GONE))
    return or_(StoredPage.outcome == PageOutcome.ARTICLE, and_(is_hidden, StoredPage.revision > 0))


def is_pending() -> ColumnElement[bool]:
    """Select pages that have no outcome yet or are to be extracted again."""
    return or_(
        StoredPage.outcome.is_(None),
        StoredPage.forced,
        StoredPage.extracted_generation < StoredPage.generation,
    )


def parts_are_due() -> ColumnElement[bool]:
    """Select parts of multi-page articles that changed since they were last joined."""
    return PageParts.version > PageParts.seen_version
