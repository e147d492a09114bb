"""Many pages, read in several processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TYPE_CHECKING

from detourage.pages import AnyPage, Page, pages_of
from detourage.reading import failed, read_page

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from detourage.article import Result
    from models.roles import LineRole

PAGES_AHEAD = 4
"""Pages per process that are read ahead of the one that is asked for."""


def extract_many(
    pages: Iterable[AnyPage] | str | os.PathLike[str],
    *,
    processes: int = 1,
    text_roles: Sequence[LineRole] = (),
) -> Iterator[Result]:
    """Read many pages, each by itself.

    Parameters
    ----------
    pages
        Pages, pairs of HTML and address, or a file or folder as of `load_pages`. An iterable is
        consumed as results are asked for, so it may be endless.
    processes
        Number of processes. With more than one, a script needs the usual
        ``if __name__ == "__main__":`` around its own code.
    text_roles
        As for `extract`.

    Yields
    ------
    Result
        One for each page, in the order of the pages. A page that crashes its process gives
        ``"failed"``, and the others go on.

    Raises
    ------
    ValueError
        If `processes` is not positive.
    OSError
        If a file or folder cannot be read.
    """
    if processes < 1:
        raise ValueError(f"processes must be at least 1, not {processes}")
    reader = partial(read_page, text_roles=tuple(text_roles))
    if processes == 1:
        return map(reader, pages_of(pages))
    return _read_in_processes(reader, pages_of(pages), processes)


def _read_in_processes(
    reader: Callable[[Page], Result], pages: Iterator[Page], processes: int
) -> Iterator[Result]:
    pool = _pool(processes)
    waiting: deque[tuple[Page, Future[Result]]] = deque()
    try:
        while True:
            while len(waiting) < PAGES_AHEAD * processes:
                page = next(pages, None)
                if page is None:
                    break
                waiting.append((page, pool.submit(reader, page)))
            if not waiting:
                return
            page, future = waiting.popleft()
            try:
                result = future.result()
            except BrokenProcessPool:
                pool.shutdown(wait=False)
                result = _read_alone(reader, page)
                pool = _pool(processes)
                waiting = deque((each, pool.submit(reader, each)) for each, _ in waiting)
            yield result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _read_alone(reader: Callable[[Page], Result], page: Page) -> Result:
    """Read a page in a process of its own: one of those under way has ended a process."""
    with _pool(1) as pool:
        try:
            return pool.submit(reader, page).result()
        except BrokenProcessPool:
            return failed(page, RuntimeError("the page crashed the process that read it"))


def _pool(processes: int) -> ProcessPoolExecutor:
    # Forked from a server that has everything imported, and no threads.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["detourage.reading"])
    return ProcessPoolExecutor(processes, context, initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that asked for the pages."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
