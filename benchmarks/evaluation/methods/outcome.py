"""Outcomes of extraction methods."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self

from detourage.papers.interface import ALONE, Extracted, Neighbours, Source

FailureKind = Literal["refused", "error", "timeout", "crash", "unavailable"]
"""Kind of failure: no article or an unreadable page (``refused``), an exception (``error``), an
exceeded time limit, the death of the process (``crash``), or a method that cannot run on this
machine."""


@dataclass(frozen=True)
class Job:
    """A page to extract, with the other pages of its template group as neighbours."""

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

    `cpu_seconds` includes programs in other languages; it is None if the process died or was
    stopped. `peak_memory` is the largest resident memory of the process so far, in bytes.
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
    """The outcome of one of several pages; `cached` is True if it is from an earlier run."""

    index: int
    outcome: Outcome
    cached: bool = False


@dataclass(frozen=True)
class Summary:
    """Failures and resource usage of a method over many pages.

    `detail` is the most frequent failure detail. `timed_pages` is the number of pages whose CPU
    time is known, and `cpu_seconds` the total over them. `peak_memory` is the highest of any
    process, in bytes.
    """

    pages: int
    failures: Counter[FailureKind]
    detail: str | None
    cpu_seconds: float
    timed_pages: int
    peak_memory: int | None

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Self:
        """Count the failures, and add up the resources, of a method's outcomes on all pages."""
        all_outcomes = list(outcomes)
        failures = [outcome.failure for outcome in all_outcomes if outcome.failure is not None]
        details = Counter(failure.detail for failure in failures)
        times = [outcome.cpu_seconds for outcome in all_outcomes if outcome.cpu_seconds is not None]
        peaks = [outcome.peak_memory for outcome in all_outcomes if outcome.peak_memory is not None]
        return cls(
            pages=len(all_outcomes),
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
