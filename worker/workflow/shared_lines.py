"""Lines that the pages of a group share, in their stored form."""

import logging
from collections.abc import Mapping
from functools import lru_cache

from detourage.reader.shared_lines import PageLines, SharedLines, counted_pages

logger = logging.getLogger(__name__)

_read_group = lru_cache(maxsize=64)(SharedLines.from_bytes)
"""Cached `SharedLines.from_bytes`, since each page of a group needs it; errors are not cached."""


def shared_lines_of(lines: Mapping[str, bytes | None]) -> bytes | None:
    """Return a group's shared lines, given its pages' lines by URL, or None if it has none."""
    stored = ((url, lines[url]) for url in counted_pages(lines))
    found = SharedLines.of({url: _read(each) for url, each in stored if each is not None})
    return found.to_bytes() if found.publishers else None


def shared_lines_on(url: str, group: bytes | None, page: bytes | None) -> frozenset[int]:
    """Return the lines that a page shares with its group, from the stored lines of both."""
    if group is None or page is None:
        return frozenset()
    try:
        shared = _read_group(group)
    except ValueError as error:
        logger.warning("damaged shared lines are ignored: %s", error)
        return frozenset()
    return shared.on(url, _read(page))


def _read(lines: bytes) -> PageLines:
    try:
        return PageLines.from_bytes(lines)
    except ValueError as error:
        logger.warning("damaged lines of a page are ignored: %s", error)
        return PageLines()
