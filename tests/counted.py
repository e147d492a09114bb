"""Work measured in counted steps, which are the same on a fast and on a slow machine."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

Work = Callable[[], object]

TIMES = 4
"""Ratio of the two sizes at which work is counted."""

LINEAR = 1.5 * TIMES
"""Maximum growth of linear work; quadratic work grows by the square of `TIMES`."""


def steps(work: Work) -> int:
    """Return the number of lines, rounds of loops, calls and returns that Python executes."""
    counted = 0

    def count(_frame: FrameType, _event: str, _argument: object) -> Any:
        nonlocal counted
        counted += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return counted


def growth(prepared: Callable[[int], Work], size: int) -> float:
    """Return the ratio of the steps of work of `TIMES` the size to those of work of the size."""
    # The first call of anything may import modules and compile patterns.
    prepared(size)()
    return steps(prepared(TIMES * size)) / steps(prepared(size))
