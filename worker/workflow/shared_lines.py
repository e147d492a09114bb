"""Lines that the pages of a group share, in their stored form."""

import logging
from collections.abc import Mapping
from functools import lru_cache

from sqlalchemy.orm import Session

from detourage.reader.shared_lines import PageLines, SharedLines, counted_pages
from worker.store import groups

logger = logging.getLogger(__name__)

_read_group = lru_cache(maxsize=64)(SharedLines.from_bytes)
"""`SharedLines.from_bytes`, read once for the pages of a group; errors are not cached."""


def shared_lines_of_group(session: Session, urls: Mapping[int, str]) -> bytes | None:
    """Count the lines of a group, given its pages by ID; None if it shares none."""
    ids = {url: page_id for page_id, url in urls.items()}
    counted = {ids[url]: url for url in counted_pages(ids)}
    stored = groups.lines_of_pages(session, sorted(counted))
    found = SharedLines.of({counted[page]: _read(lines) for page, lines in stored.items()})
    return found.to_bytes() if found.publishers else None


def shared_lines_on(url: str, of_group: bytes | None, of_page: bytes | None) -> frozenset[int]:
    """Return the lines that a page shares with the other pages of its group, from the database."""
    if of_group is None or of_page is None:
        return frozenset()
    try:
        shared = _read_group(of_group)
    except ValueError as error:
        logger.warning("damaged shared lines are ignored: %s", error)
        return frozenset()
    return shared.on(url, _read(of_page))


def _read(lines: bytes) -> PageLines:
    try:
        return PageLines.from_bytes(lines)
    except ValueError as error:
        logger.warning("damaged lines of a page are ignored: %s", error)
        return PageLines()
