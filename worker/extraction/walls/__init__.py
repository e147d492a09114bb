"""What stands in the place of an article: a wall, or word that nothing is there any longer."""

from http import HTTPStatus
from typing import Final

from worker.extraction.errors import GoneError, WallError
from worker.extraction.result import Extraction
from worker.pages import Page

SURE: Final = 0.5
"""Probability of a wall from which a page has no article, whatever else is known of it."""

_GONE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


def find_wall(page: Page, article: Extraction | None) -> WallError | GoneError | None:
    """Return what seems to stand in the place of an article, and how likely; None for nothing.

    Parameters
    ----------
    page
        The page, with the HTTP answer that it came with.
    article
        What was read of it; None where nothing reads like an article.
    """
    del article
    status = page.answer.status
    if status is None or status < HTTPStatus.BAD_REQUEST:
        return None
    if status in _GONE:
        return GoneError(f"status {status}")
    return WallError(f"status {status}")
