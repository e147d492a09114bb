"""Time limits for views."""

from collections.abc import Callable
from typing import Final, TypeVar

from anyio import move_on_after, to_thread
from starlette.exceptions import HTTPException

from worker.errors import ExpectedError

T = TypeVar("T")

VIEW_SECONDS: Final = 10.0
"""Time limit for a view, after which users have stopped waiting anyway."""

LATER: Final = "Try again later: the database or this host is busy."


class TooSlowError(ExpectedError):
    """A request was aborted because it took too long."""


async def in_time(work: Callable[[], T], advice: str) -> T:
    """Run work in a thread, and return its result if it ends within `VIEW_SECONDS`.

    Longer work is abandoned, with status 503 and `advice`; it ends eventually, because database
    statements and page parsing have time limits.
    """
    try:
        with move_on_after(VIEW_SECONDS):
            return await to_thread.run_sync(work, abandon_on_cancel=True)
    except TooSlowError:
        pass
    raise HTTPException(503, f"This took too long and was aborted. {advice}")
