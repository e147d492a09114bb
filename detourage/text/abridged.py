"""Shortened URLs for display."""

from typing import Final
from urllib.parse import quote, urlsplit

MAX_LENGTH: Final = 44
"""Maximum length of a shortened URL, in characters."""


def abridged(url: str) -> str:
    """Return a URL's path and query, with an ellipsis for the middle if they are too long."""
    parts = urlsplit(url)
    path = quote(parts.path + (f"?{parts.query}" if parts.query else ""), safe="/%?&=+,;:!~()'@")
    if len(path) <= MAX_LENGTH:
        return path or "/"
    half = MAX_LENGTH // 2
    return f"{path[: half - 1]}…{path[-half:]}"
