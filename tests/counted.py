"""Measurement of work by a number of Python trace events that is the same on every machine."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

Work = Callable[[], object]

SIZE_RATIO = 4
"""Ratio of the two sizes at which work is counted."""

MAX_LINEAR_GROWTH = 1.5 * SIZE_RATIO
"""Maximum `growth` of linear work. Quadratic work grows by the square of `SIZE_RATIO`, 16."""


def count_steps(work: Work) -> int:
    """Return the number of lines, rounds of loops, calls and returns that Python executes."""
    number = 0

    def count(_frame: FrameType, _event: str, _argument: object) -> Any:
        nonlocal number
        number += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return number


def growth(prepare: Callable[[int], Work], size: int) -> float:
    """Return how many times more steps work takes if its input is `SIZE_RATIO` times as large.

    `prepare` returns the function to be measured for an input of the given size.
    """
    # Run it once before, because the first call may import modules and compile patterns.
    prepare(size)()
    return count_steps(prepare(SIZE_RATIO * size)) / count_steps(prepare(size))
