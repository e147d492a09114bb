"""The distances of all pages of a site."""

import statistics
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context

import numpy as np

from benchmarks.distance.corpora import Sites, largest_sites, site_of_size, strangers
from benchmarks.distance.measure import peak_megabytes, wall_seconds
from worker.distance import _native, distance_matrix
from worker.distance.native import NativeForest
from worker.pages import Tree

LEAST_PAGES = 20
"""Pages of the site that stands for sites of about 1,000 nodes whose templates agree."""

REPEATS = 5


def matrices(sites: Sites) -> None:
    """Print the CPU time of whole matrices on one core, with what is remembered and without."""
    chosen = largest_sites(sites, 4)
    name, trees = site_of_size(sites, 1_000, LEAST_PAGES)
    chosen[name] = trees
    chosen["pages of as many sites"] = strangers(sites, 1_000)
    print("\n### All pages of a site, one core, CPU seconds\n")
    print("| site | pages | median nodes | median distance | usual | remembering nothing | sse2 |")
    print("|---|---|---|---|---|---|---|")
    for site, pages in chosen.items():
        distances = distance_matrix(pages)
        times = [
            _cpu_seconds(pages, memory, unit)
            for memory, unit in ((2**26, _native.UNITS[0]), (0, _native.UNITS[0]), (2**26, "sse2"))
        ]
        print(
            f"| {site} | {len(pages)} | {statistics.median(map(len, pages)):.0f} | "
            f"{np.median(distances[np.triu_indices(len(pages), 1)]):.0f} | "
            + " | ".join(f"{seconds:.2f}" for seconds in times)
            + " |",
            flush=True,
        )
    print(f"\nPeak memory of the last: {peak_megabytes(partial(distance_matrix, pages)):.0f} MB")


def _cpu_seconds(trees: Sequence[Tree], memory: int, unit: str) -> float:
    a, b = np.triu_indices(len(trees), 1)
    start = time.process_time()
    forest = NativeForest(trees, memory=memory, way=(unit, 0, "", True, True, True))
    forest.distances(a, b)
    return time.process_time() - start


def scaling(sites: Sites) -> None:
    """Print how two threads scale, and two processes that know nothing of each other."""
    trees = strangers(sites, 1_000)
    one, two, apart = [], [], []
    with get_context("fork").Pool(2) as pool:
        for _ in range(REPEATS):
            one.append(wall_seconds(partial(_matrix, trees, 1)))
            two.append(wall_seconds(partial(_matrix, trees, 2)))
            apart.append(wall_seconds(partial(pool.map, partial(_matrix, trees), [1, 1], 1)))
    print("\n### Two threads, and two processes, against one thread\n")
    print(f"- one thread: {min(one):.2f} s")
    print(f"- two threads: {min(one) / min(two):.2f} times as fast")
    print(f"- two processes, a matrix each: {2 * min(one) / min(apart):.2f} times as much")


def _matrix(trees: Sequence[Tree], threads: int) -> None:
    distance_matrix(trees, threads=threads, memory=0)
