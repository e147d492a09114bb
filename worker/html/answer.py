"""The HTTP answer that a page came with."""

import json
from dataclasses import dataclass
from typing import Self

from models.limits import MAX_URL_CHARACTERS


@dataclass(frozen=True)
class Answer:
    """What the crawler knows of the HTTP answer; None for what it did not say.

    Parameters
    ----------
    status
        Status code of the answer.
    final_url
        Address that the answer came from, after redirects.
    """

    status: int | None = None
    final_url: str | None = None

    @classmethod
    def of(cls, extra: str) -> Self:
        """Return what the keys of a page message say that are stored as JSON text.

        Earlier versions stored them unseen: what is no status or address counts as not said.
        """
        if extra == "{}":
            return cls()
        said = json.loads(extra)
        status, final_url = said.get("status"), said.get("final_url")
        is_status = type(status) is int and 100 <= status <= 599
        is_address = (
            isinstance(final_url, str)
            and len(final_url) <= MAX_URL_CHARACTERS
            and final_url.lower().startswith(("http://", "https://"))
        )
        return cls(status if is_status else None, final_url if is_address else None)


NO_ANSWER = Answer()
"""Of a page of which nothing is known but its content."""
