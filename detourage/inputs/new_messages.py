"""Page messages for pages in files or from a crawler."""

import base64
import json
from collections.abc import Mapping

from detourage.limits import MAX_CONTENT_BYTES, MAX_HEADER_CHARACTERS, MAX_HEADERS
from detourage.outcomes import UnusableReason


def page_message(
    *,
    url: str,
    identifier: str,
    content: bytes,
    content_type: str | None = None,
    fetched_at: str | None = None,
    site: str | None = None,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return the message for a page, or an `oversized_message` if the page does not fit."""
    if len(content) > MAX_CONTENT_BYTES:
        return oversized_message(
            f"more than {MAX_CONTENT_BYTES} bytes of content", url=url, identifier=identifier
        )
    message = {
        "version": 1,
        "id": identifier,
        "url": url,
        "site": site,
        "content_type": content_type,
        "fetched_at": fetched_at,
        "status": status,
        "headers": _within_limits(headers) if headers else None,
        "html_base64": base64.b64encode(content).decode("ascii"),
    }
    return _encode(message)


def _within_limits(headers: Mapping[str, str]) -> dict[str, str]:
    kept: dict[str, str] = {}
    remaining_characters = MAX_HEADER_CHARACTERS
    for name, value in headers.items():
        size = len(name) + len(value)
        if len(kept) < MAX_HEADERS and size <= remaining_characters and "\x00" not in value:
            kept[name] = value
            remaining_characters -= size
    return kept


def oversized_message(
    detail: str, *, url: str | None = None, identifier: str | None = None, start: bytes = b""
) -> bytes:
    """Return a message that replaces an oversized one, so that the intake can quarantine it."""
    message = {
        "version": 1,
        "id": identifier,
        "url": url,
        "unusable": {"reason": UnusableReason.OVERSIZED, "detail": detail},
        "begins": start.decode(errors="replace")[:300] or None,
    }
    return _encode(message)


def _encode(message: Mapping[str, object]) -> bytes:
    return json.dumps({key: value for key, value in message.items() if value is not None}).encode()
