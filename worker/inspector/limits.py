"""How long a view may take, and what is said where it takes longer."""

from collections.abc import Callable
from typing import Final, TypeVar

from anyio import move_on_after, to_thread
from starlette.exceptions import HTTPException

from worker.errors import ExpectedError

T = TypeVar("T")

VIEW_SECONDS: Final = 10.0
"""Time that a view may take in all; whoever waits for longer has closed the window."""

LATER: Final = "Try again later: the database or this host has much to do."


class TooSlowError(ExpectedError):
    """What was asked for took too long, and was given up."""


async def in_time(work: Callable[[], T], advice: str) -> T:
    """Return what a piece of work gives that is done in a thread, within `VIEW_SECONDS`.

    Work that takes longer is not waited for. It ends by itself: each of its statements has a time
    limit, and so has the reading of a page.

    Parameters
    ----------
    work
        The work.
    advice
        A sentence that says what to do where it takes too long.

    Raises
    ------
    HTTPException
        With status 503, where it does.
    """
    try:
        with move_on_after(VIEW_SECONDS):
            return await to_thread.run_sync(work, abandon_on_cancel=True)
    except TooSlowError:
        pass
    raise HTTPException(503, f"This took too long and was given up. {advice}")
