"""Measurement of the distances between all pages of a site."""

import resource
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import numpy as np

from benchmarks.distance.corpora import Sites, largest_sites, pages_of_different_sites, site_of_size
from benchmarks.distance.measure import peak_megabytes
from detourage.html import Tree
from detourage.template.distance import _native
from detourage.template.distance.forest import MEMORY, Forest, Indices

MIN_PAGES = 20
"""Minimum number of pages of the site that is measured as one with about 1,000 nodes per page."""

REPETITIONS = 5  # the fastest of these runs counts


def time_matrices(sites: Sites) -> None:
    """Print the CPU time of whole matrices on one core, with and without memoisation."""
    chosen = largest_sites(sites, 4)
    name, trees = site_of_size(sites, 1_000, MIN_PAGES)
    chosen[name] = trees
    chosen["pages of as many sites"] = pages_of_different_sites(sites, 1_000)
    print("\n### All pages of a site, one core, CPU seconds\n")
    print("| site | pages | median nodes | median distance | usual | without memoisation | sse2 |")
    print("|---|---|---|---|---|---|---|")
    for site, pages in chosen.items():
        distances = _distances(pages)
        times = [
            _cpu_seconds(pages, memory, unit)
            for memory, unit in ((2**26, _native.UNITS[0]), (0, _native.UNITS[0]), (2**26, "sse2"))
        ]
        print(
            f"| {site} | {len(pages)} | {statistics.median(map(len, pages)):.0f} | "
            f"{np.median(distances):.0f} | "
            + " | ".join(f"{seconds:.2f}" for seconds in times)
            + " |",
            flush=True,
        )
    print(f"\nPeak memory, last row: {peak_megabytes(partial(_distances, pages)):.0f} MB")


def _distances(trees: Sequence[Tree], *, threads: int = 1, memory: int = MEMORY) -> Indices:
    a, b = np.triu_indices(len(trees), 1)
    return Forest(trees, memory=memory).distances(a, b, threads=threads)


def _cpu_seconds(trees: Sequence[Tree], memory: int, unit: str) -> float:
    """Return the CPU time of a matrix, given the bytes for memoisation and the vector unit."""
    a, b = np.triu_indices(len(trees), 1)
    start = time.process_time()
    forest = Forest(trees, memory=memory, way=(unit, 0, "", True, True, True))
    forest.distances(a, b)
    return time.process_time() - start


@dataclass(frozen=True)
class _Run:
    """Wall-clock and CPU time of a matrix, and how often its threads waited."""

    seconds: float
    cpu_seconds: float
    context_switches: int


def compare_threads(sites: Sites) -> None:
    """Print how two threads scale compared with two independent processes.

    On a busy machine, only the CPU time and the context switches show the overhead of threads.
    """
    trees = pages_of_different_sites(sites, 1_000)
    runs: dict[str, list[_Run]] = {"one thread": [], "two threads": [], "two processes": []}
    with get_context("fork").Pool(2) as pool:
        for _ in range(REPETITIONS):
            runs["one thread"].append(_time_matrix(trees, 1))
            runs["two threads"].append(_time_matrix(trees, 2))
            start = time.perf_counter()
            process_runs = pool.map(partial(_time_matrix, trees), [1, 1], 1)
            elapsed = time.perf_counter() - start
            cpu_seconds = sum(run.cpu_seconds for run in process_runs)
            runs["two processes"].append(_Run(elapsed / 2, cpu_seconds / 2, 0))
    one_thread = _minimum_run(runs["one thread"])
    print("\n### Time per matrix: with threads, and with two processes that compute one each\n")
    print("| | seconds | speed-up | CPU seconds | relative to one thread | context switches |")
    print("|---|---|---|---|---|---|")
    for name, runs_of_kind in runs.items():
        best = _minimum_run(runs_of_kind)
        switches = "" if name == "two processes" else f"{best.context_switches}"
        print(
            f"| {name} | {best.seconds:.2f} | {one_thread.seconds / best.seconds:.2f} "
            f"| {best.cpu_seconds:.2f} "
            f"| {best.cpu_seconds / one_thread.cpu_seconds:.2f} | {switches} |"
        )


def _minimum_run(runs: Sequence[_Run]) -> _Run:
    """Return the minimum of each measure over repeated runs."""
    return _Run(
        min(run.seconds for run in runs),
        min(run.cpu_seconds for run in runs),
        min(run.context_switches for run in runs),
    )


def _time_matrix(trees: Sequence[Tree], threads: int) -> _Run:
    """Compute a matrix, and return the time that it took."""
    usage_before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    cpu_seconds = time.process_time()
    _distances(trees, threads=threads, memory=0)
    cpu_seconds = time.process_time() - cpu_seconds
    elapsed = time.perf_counter() - start
    switches = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - usage_before.ru_nvcsw
    return _Run(elapsed, cpu_seconds, switches)
