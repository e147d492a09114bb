"""Lines that the pages of a group share, in their stored form."""

import logging
from collections.abc import Collection, Mapping
from functools import lru_cache

import numpy as np

from detourage.reader.shared_lines import PageLines, SharedLines, counted_pages

logger = logging.getLogger(__name__)

_read_group = lru_cache(maxsize=64)(SharedLines.from_bytes)
"""Cached `SharedLines.from_bytes`; all pages of a group need its result. Errors are not cached."""


def shared_lines_of(lines: Mapping[str, bytes | None]) -> bytes | None:
    """Return the lines that a group's pages share (None if none), given each page's lines."""
    stored = ((url, lines[url]) for url in counted_pages(lines))
    found = SharedLines.of({url: _read(each) for url, each in stored if each is not None})
    return found.to_bytes() if found.publishers else None


def shared_lines_on(
    url: str, group: bytes | None, page: bytes | None, removable: bytes | None = None
) -> frozenset[int]:
    """Return the lines that a page shares with its group, from the stored lines of both.

    If `removable` is not None, only these lines are returned (see `pack_removable`).
    """
    if group is None or page is None or removable == b"":
        return frozenset()
    try:
        shared = _read_group(group)
    except ValueError as error:
        logger.warning("ignored damaged shared lines of a group: %s", error)
        return frozenset()
    lines = shared.on(url, _read(page))
    if removable is None:
        return lines
    kept = {*np.frombuffer(removable, "<u4").tolist()}
    return frozenset(line for line in lines if line & _STORED_BITS in kept)


_STORED_BITS = 2**32 - 1  # stored bits of a removable line's digest


def pack_removable(lines: Collection[int]) -> bytes:
    """Return the stored form of the lines that a page would lose if its group shared them.

    Other shared lines do not affect the page, so it need not be extracted again if they change.
    """
    return np.array(sorted({line & _STORED_BITS for line in lines}), "<u4").tobytes()


def _read(lines: bytes) -> PageLines:
    try:
        return PageLines.from_bytes(lines)
    except ValueError as error:
        logger.warning("ignored the stored line digests of a page, which are damaged: %s", error)
        return PageLines()
