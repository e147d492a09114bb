"""Metadata of the HTTP response that delivered a page."""

import json
from dataclasses import dataclass
from typing import Self

from detourage.limits import MAX_URL_CHARACTERS


@dataclass(frozen=True)
class Answer:
    """Metadata of the HTTP response as reported by the crawler; None for missing values.

    `final_url` is the URL after redirects.
    """

    status: int | None = None
    final_url: str | None = None

    @classmethod
    def of(cls, extra: str) -> Self:
        """Read the response from a page message's extra keys, stored as JSON text.

        Ignores an invalid status or URL, because earlier releases stored them unchecked.
        """
        if extra == "{}":
            return cls()
        values = json.loads(extra)
        status, final_url = values.get("status"), values.get("final_url")
        is_status = type(status) is int and 100 <= status <= 599
        is_address = (
            isinstance(final_url, str)
            and len(final_url) <= MAX_URL_CHARACTERS
            and final_url.lower().startswith(("http://", "https://"))
        )
        return cls(status if is_status else None, final_url if is_address else None)


NO_ANSWER = Answer()
"""Value for a page whose HTTP response metadata is unknown."""
