"""Memory allocation of a process that handles pages of any size."""

import ctypes

from detourage.pool import collect_garbage_rarely

LARGE_BYTES = 1 << 20  # size above which freed memory is returned to the system at once

_M_MMAP_THRESHOLD = -3  # parameter of mallopt(3)


def tune_memory() -> None:
    """Collect garbage less often; have glibc, which would keep 150 MB per large page, return it."""
    collect_garbage_rarely()
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
