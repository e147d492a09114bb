"""Memory allocation of a process that handles pages of any size."""

import ctypes

from detourage.process_pool import collect_garbage_rarely

LARGE_BYTES = 1 << 20  # size above which freed memory is returned to the system at once

_M_MMAP_THRESHOLD = -3  # parameter of mallopt(3)


def tune_memory() -> None:
    """Collect garbage less often, and have glibc return large blocks when they are freed.

    By default, glibc keeps blocks of up to 32 MiB once such a block is freed; a process that has
    parsed a page of 10 MiB then keeps 150 MB in fragments. Has no effect on other C libraries.
    """
    collect_garbage_rarely()
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
