"""Threads started by numerical libraries."""

import os


def start_no_idle_threads() -> None:
    """Keep NumPy and SciPy from starting one thread per core; call before importing them.

    This process computes with them in one thread only. The others busy-wait for work: at the start
    of a process they take as much time as importing NumPy.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
