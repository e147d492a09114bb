"""Threads that libraries of numbers start by themselves."""

import os


def start_no_idle_threads() -> None:
    """Keep NumPy and SciPy from starting a thread for each core, before they are imported.

    All that this process computes with them is done by one thread. The others wait for work, and
    not idly: at the start of a process they take as long as importing NumPy.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
