"""Processes that do one thing with each of many items, whose results come in the items' order."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import forkserver
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 4
"""Items for each process that are taken ahead of the one whose result is asked for."""


def in_processes(
    step: Callable[[T], R],
    items: Iterable[T],
    processes: int,
    *,
    preload: str,
    crashed: Callable[[T], R],
) -> Generator[R]:
    """Yield what a step gives for each item, in their order.

    To close the generator ends the processes at once; they end with this one, too, however it
    ends.

    Parameters
    ----------
    step
        What is done with an item. It can be pickled, as its results can.
    items
        The items, taken as results are asked for.
    processes
        Number of processes.
    preload
        Module that the step needs: it is imported once, for all of them.
    crashed
        Gives the result of an item that has ended a process.
    """
    waiting: deque[tuple[T, Future[R]]] = deque()
    iterator = iter(items)
    pool = _started(processes, preload)
    try:
        while True:
            while len(waiting) < AHEAD * processes:
                for item in iterator:
                    waiting.append((item, _submitted(pool, step, item)))
                    break
                else:
                    break
            if not waiting:
                return
            item, future = waiting.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:
                pool.shutdown(wait=True)
                # Whether it was this one shows if it is alone.
                alone = _started(1, preload)
                try:
                    yield alone.submit(step, item).result()
                except BrokenProcessPool:
                    yield crashed(item)
                finally:
                    _end(alone)
                pool = _started(processes, preload)
                waiting = deque((each, _submitted(pool, step, each)) for each, _ in waiting)
    finally:
        _end(pool)


def _started(processes: int, preload: str) -> ProcessPoolExecutor:
    # Forked from a process that has everything imported, and no threads.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    with _without_interrupts():
        forkserver.ensure_running()
    return ProcessPoolExecutor(processes, context, initializer=_depend)


def _submitted(pool: ProcessPoolExecutor, step: Callable[[T], R], item: T) -> Future[R]:
    try:
        return pool.submit(step, item)
    except BrokenProcessPool as error:
        future: Future[R] = Future()
        future.set_exception(error)
        return future


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool without waiting for what they do."""
    # What is under way has no result that anyone waits for.
    for process in list((pool._processes or {}).values()):  # noqa: SLF001  No other way until 3.14.
        process.kill()
    pool.shutdown(wait=True, cancel_futures=True)


def _depend() -> None:
    """Leave Ctrl-C to the process that has asked, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The kernel could only tell of the server's end, which waits for its children's.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Have what is started within be deaf to Ctrl-C from its first moment."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
