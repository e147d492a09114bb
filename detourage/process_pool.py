"""Ordered parallel map over many items, which continues if an item crashes its worker process."""

import gc
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

from detourage.expected_errors import ExpectedError

T = TypeVar("T")
R = TypeVar("R")

OBJECTS_PER_COLLECTION = 5_000  # number of new objects that triggers a garbage collection
SUBMITTED_PER_PROCESS = 4  # items submitted per process before the next result is awaited


class StartError(ExpectedError, RuntimeError):
    """No worker process could start, for a reason that does not depend on the items."""


def in_processes(
    step: Callable[[T], R],
    items: Iterable[T],
    processes: int,
    *,
    preload: str,
    crashed: Callable[[T], R],
) -> Generator[R]:
    """Yield the result of ``step`` for each item, in order.

    ``step``, items and results must be picklable. ``preload`` names a module that is imported once
    for all processes. ``crashed`` returns the result for an item that crashed its process. The
    worker processes are killed when the generator is closed or when this process ends for any
    reason. Raise `StartError` if they cannot start.
    """
    waiting: deque[tuple[T, Future[R]]] = deque()
    iterator = iter(items)
    pool, started = _start(processes, preload)
    try:
        while True:
            while len(waiting) < SUBMITTED_PER_PROCESS * processes:
                try:
                    item = next(iterator)
                except StopIteration:
                    break
                waiting.append((item, _submit(pool, step, item)))
            if not waiting:
                return
            item, future = waiting.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:
                _require(started)
                pool.shutdown(wait=True)
                # Run the item alone to see whether it caused the crash.
                trial_pool, started = _start(1, preload)
                try:
                    yield _submit(trial_pool, step, item).result()
                except BrokenProcessPool:
                    _require(started)
                    yield crashed(item)
                finally:
                    _kill(trial_pool)
                pool, started = _start(processes, preload)
                waiting = deque((each, _submit(pool, step, each)) for each, _ in waiting)
    finally:
        _kill(pool)


def _start(processes: int, preload: str) -> tuple[ProcessPoolExecutor, Future[int]]:
    """Return a pool, and a future that completes when its first process has started."""
    # The fork server imports the module once, and all worker processes are forked from it.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    with _for_servers():
        forkserver.ensure_running()
    pool = ProcessPoolExecutor(processes, context, initializer=_begin)
    return pool, pool.submit(os.getpid)


def _require(started: Future[int]) -> None:
    if started.exception() is not None:
        raise StartError(
            "a worker process could not start, for the reason above: to use several processes, a"
            " script must run its code under `if __name__ == '__main__':`"
        ) from None


def _submit(pool: ProcessPoolExecutor, step: Callable[[T], R], item: T) -> Future[R]:
    try:
        return pool.submit(step, item)
    except BrokenProcessPool as error:
        future: Future[R] = Future()
        future.set_exception(error)
        return future


def _kill(pool: ProcessPoolExecutor) -> None:
    """Kill the processes of a pool without waiting for their work."""
    for process in list((pool._processes or {}).values()):  # noqa: SLF001  No other way until 3.14.
        process.kill()
    pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Ignore Ctrl-C, which the parent process handles, and end when the parent ends."""
    collect_garbage_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A parent death signal would not help: the parent is the fork server, which waits for its
    # children.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _for_servers() -> Iterator[None]:
    """Let processes that start within the block ignore Ctrl-C and modules in the current folder."""
    is_main_thread = threading.current_thread() is threading.main_thread()
    former = is_main_thread and signal.signal(signal.SIGINT, signal.SIG_IGN)
    safe_path = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHONSAFEPATH"]
        if safe_path is not None:
            os.environ["PYTHONSAFEPATH"] = safe_path
        if is_main_thread:
            signal.signal(signal.SIGINT, former)


def collect_garbage_rarely() -> None:
    """Make garbage collections rare, which saves a process that reads many pages 5 % of its time.

    Modules and tables never become garbage, but the collector would scan them repeatedly.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS_PER_COLLECTION)
