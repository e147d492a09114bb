"""The HTTP answer that a page came with."""

from dataclasses import dataclass


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


NO_ANSWER = Answer()
"""Of a page of which nothing is known but its content."""
