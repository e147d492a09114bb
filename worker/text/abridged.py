"""Addresses of pages, for people."""

from typing import Final
from urllib.parse import quote, urlsplit

LONGEST: Final = 44
"""Characters of an abridged address."""


def abridged(url: str) -> str:
    """Return what differs between the addresses of a site, in few characters."""
    parts = urlsplit(url)
    path = quote(parts.path + (f"?{parts.query}" if parts.query else ""), safe="/%?&=+,;:!~()'@")
    if len(path) <= LONGEST:
        return path or "/"
    half = LONGEST // 2
    return f"{path[: half - 1]}…{path[-half:]}"
