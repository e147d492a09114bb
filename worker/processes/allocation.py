"""Memory of a process that handles pages of any size."""

import ctypes

LARGE_BYTES = 1 << 20  # size above which memory goes back to the system as soon as it is freed

_M_MMAP_THRESHOLD = -3


def return_large_blocks() -> None:
    """Have glibc map large blocks separately, and unmap them when they are freed.

    By default, it raises the limit to 32 MiB once such a block is freed; a process that has parsed
    a page of 10 MiB then keeps 150 MB in fragments. Has no effect with other C libraries.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
