"""Parallel execution of methods on many pages, tolerating crashes and infinite loops."""

import os
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import cast

from benchmarks.evaluation.methods.cache import ResultCache
from benchmarks.evaluation.methods.outcome import Failure, Job, Outcome, PageResult
from benchmarks.evaluation.methods.process import ExtractorProcess
from benchmarks.evaluation.methods.registry import parse_chain
from benchmarks.training.ngrams import TrainingPair
from detourage.papers.interface import Extractor, UnavailableError

START_SECONDS = 360.0
"""Maximum time, in seconds, for a method to prepare itself: import, compile or install its
dependencies (npm takes the longest)."""


@dataclass(frozen=True)
class Runner:
    """Runner that applies methods to pages in processes that can be stopped.

    `seconds_per_page` limits wall-clock time; the limit is generous on an idle machine, but not on
    a busy one. `cache` is the folder of cached results; `tools` and `pairs` are as in
    `get_extractor`.
    """

    processes: int = os.cpu_count() or 1
    seconds_per_page: float = 60.0
    cache: Path | None = None
    tools: Path | None = None
    pairs: Sequence[TrainingPair] = ()

    def run(self, method: Extractor | str, jobs: Sequence[Job]) -> Generator[PageResult]:
        """Apply a method (or chain) to pages and yield an outcome per page, in no particular order.

        If the method cannot run, all outcomes are failures. Closing the generator stops all
        processes. Raise UnknownExtractorError if there is no method of that name.
        """
        try:
            extractor = self._extractor(method)
        except UnavailableError as error:
            failure = Outcome(Failure("unavailable", str(error)))
            yield from (PageResult(index, failure) for index in range(len(jobs)))
            return
        cache = ResultCache(self.cache) if self.cache is not None else None
        uncached: list[int] = []
        for index, job in enumerate(jobs):
            cached_outcome = cache.get(extractor, job) if cache else None
            if cached_outcome is None:
                uncached.append(index)
            else:
                yield PageResult(index, cached_outcome, cached=True)
        for index, outcome in self._compute(extractor, jobs, uncached):
            if cache:
                cache.put(extractor, jobs[index], outcome)
            yield PageResult(index, outcome)

    def _extractor(self, method: Extractor | str) -> Extractor:
        if isinstance(method, Extractor):
            return method
        return parse_chain(method, tools=self.tools, pairs=self.pairs)

    def _compute(
        self, extractor: Extractor, jobs: Sequence[Job], indices: Sequence[int]
    ) -> Iterator[tuple[int, Outcome]]:
        """Compute the outcomes of uncached pages; stop all processes at the end."""
        pool = _Pool(extractor, jobs, deque(indices), self.seconds_per_page)
        try:
            yield from pool.run(min(self.processes, len(indices)))
        finally:
            pool.kill()


class _Pool:
    """Processes that run one method; one that crashes or exceeds its time limit is replaced."""

    def __init__(
        self, extractor: Extractor, jobs: Sequence[Job], pending: deque[int], seconds: float
    ) -> None:
        self._extractor = extractor
        self._jobs = jobs
        self._pending = pending
        self._seconds = seconds
        self._processes: list[ExtractorProcess] = []

    def run(self, count: int) -> Iterator[tuple[int, Outcome]]:
        """Start the given number of processes, and yield the index and outcome of each page."""
        for _ in range(count):
            self._start()
        while self._processes:
            for process in self._wait():
                try:
                    yield from self._handle_event(process)
                except UnavailableError as error:
                    yield from self._fail_all(str(error))
                    return

    def kill(self) -> None:
        while self._processes:
            self._processes.pop().kill()

    def _start(self) -> None:
        self._processes.append(ExtractorProcess(self._extractor, START_SECONDS))

    def _wait(self) -> list[ExtractorProcess]:
        """Wait until a process has responded or its time limit has passed."""
        by_connection = {process.connection: process for process in self._processes}
        deadline = min(process.deadline for process in self._processes)
        ready = wait(list(by_connection), max(0.0, deadline - time.monotonic()))
        if ready:
            return [by_connection[cast(Connection, connection)] for connection in ready]
        now = time.monotonic()
        return [process for process in self._processes if process.deadline <= now]

    def _handle_event(self, process: ExtractorProcess) -> Iterator[tuple[int, Outcome]]:
        """Handle the response, death or time-out of a process; yield the page's outcome."""
        job = process.job
        if not process.connection.poll():
            self._remove(process)
            if job is None:
                raise UnavailableError(f"{self._extractor.name} did not start in time")
            failure = Failure("timeout", f"more than {self._seconds:g} s")
            yield job, Outcome(failure)
            self._start_if_pending()
            return
        try:
            outcome = process.receive()
        except EOFError:
            detail = process.describe_end()
            self._remove(process)
            if job is None:
                raise UnavailableError(f"{self._extractor.name} does not start: {detail}") from None
            yield job, Outcome(Failure("crash", detail))
            self._start_if_pending()
            return
        if self._pending:
            index = self._pending.popleft()
            # Of the page's template group, send only the pages that the method uses.
            neighbours = self._extractor.needs.of(self._jobs[index].neighbours)
            process.send(index, Job(self._jobs[index].source, neighbours), self._seconds)
        else:
            self._remove(process)
        if job is not None and outcome is not None:
            yield job, outcome

    def _start_if_pending(self) -> None:
        if self._pending:
            self._start()

    def _remove(self, process: ExtractorProcess) -> None:
        self._processes.remove(process)
        process.kill()

    def _fail_all(self, reason: str) -> Iterator[tuple[int, Outcome]]:
        """Stop all processes; yield all unfinished pages as failures of an unavailable method."""
        unfinished = [process.job for process in self._processes if process.job is not None]
        self.kill()
        outcome = Outcome(Failure("unavailable", reason))
        while self._pending:
            unfinished.append(self._pending.popleft())
        yield from ((index, outcome) for index in unfinished)
