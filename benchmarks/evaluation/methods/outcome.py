"""Outcomes of extraction methods."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self

from worker.papers.interface import ALONE, Extracted, Neighbours, Source

FailureKind = Literal["refused", "error", "timeout", "crash", "unavailable"]
"""Kind of failure.

- ``refused``: the method reports that there is no article, or the page cannot be read;
- ``error``: the method raised an exception;
- ``timeout``: the method took too long and was stopped;
- ``crash``: the process of the method died;
- ``unavailable``: the method cannot run on this machine.
"""


@dataclass(frozen=True)
class Job:
    """A page to extract.

    Parameters
    ----------
    source
        The page.
    neighbours
        The page's template group.
    """

    source: Source
    neighbours: Neighbours = ALONE


@dataclass(frozen=True)
class Failure:
    """The reason why a page has no result."""

    kind: FailureKind
    detail: str


@dataclass(frozen=True)
class Outcome:
    """The result of a method on a page, and the resources used.

    Parameters
    ----------
    result
        The article, or the reason why there is none.
    cpu_seconds
        CPU time spent on the page, including programs in other languages; None if the
        process died.
    peak_memory
        Largest resident memory so far of the process that extracted the page, in bytes.
    """

    result: Extracted | Failure
    cpu_seconds: float | None = None
    peak_memory: int | None = None

    @property
    def extracted(self) -> Extracted | None:
        """The article, or None."""
        return self.result if isinstance(self.result, Extracted) else None

    @property
    def failure(self) -> Failure | None:
        """The reason why there is no article, or None if there is one."""
        return self.result if isinstance(self.result, Failure) else None


@dataclass(frozen=True)
class PageResult:
    """The outcome of one of several pages.

    Parameters
    ----------
    index
        Index of the page.
    outcome
        Outcome of the page.
    cached
        Whether the outcome is from an earlier run.
    """

    index: int
    outcome: Outcome
    cached: bool = False


@dataclass(frozen=True)
class Summary:
    """Failures and resource usage of a method over many pages.

    Parameters
    ----------
    pages
        Number of pages.
    failures
        Number of failures of each kind.
    detail
        Detail of the most frequent failure, or None if there are no failures.
    cpu_seconds
        Total CPU time of the pages for which it is known.
    timed_pages
        Number of pages for which the CPU time is known.
    peak_memory
        Largest resident memory of a process, in bytes; None if unknown.
    """

    pages: int
    failures: Counter[FailureKind]
    detail: str | None
    cpu_seconds: float
    timed_pages: int
    peak_memory: int | None

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Self:
        """Summarise outcomes."""
        known = list(outcomes)
        failures = [outcome.failure for outcome in known if outcome.failure is not None]
        details = Counter(failure.detail for failure in failures)
        times = [outcome.cpu_seconds for outcome in known if outcome.cpu_seconds is not None]
        peaks = [outcome.peak_memory for outcome in known if outcome.peak_memory is not None]
        return cls(
            pages=len(known),
            failures=Counter(failure.kind for failure in failures),
            detail=details.most_common(1)[0][0] if details else None,
            cpu_seconds=sum(times),
            timed_pages=len(times),
            peak_memory=max(peaks, default=None),
        )

    @property
    def pages_per_cpu_second(self) -> float | None:
        """Pages per second of CPU time, or None if unknown."""
        return self.timed_pages / self.cpu_seconds if self.cpu_seconds else None
