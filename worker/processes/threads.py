"""Control over the threads that numerical libraries start."""

import os


def start_no_idle_threads() -> None:
    """Prevent NumPy and SciPy from starting one thread per core; call this before importing them.

    Idle threads busy-wait for work, which at process start takes as much time as importing NumPy.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
