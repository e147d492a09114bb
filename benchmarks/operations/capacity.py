"""Simulate any number of worker processes that share one PostgreSQL, given the cost of a page."""

from collections import Counter
from collections.abc import Iterator
from heapq import heappop, heappush
from math import ceil
from random import Random
from typing import NamedTuple

END = 20_000.0
"""Time at which the simulation ends; all times are in milliseconds."""

SOON = 1e-6
"""Delay after a transaction's last statement, by which the end of its commit has been computed."""


class Cost(NamedTuple):
    """Processor time in ms, and number of commits, of a page; workers do not wait for `others`."""

    worker: float
    server_for_worker: float
    commits: float
    server_for_others: float
    others: float


def simulate(
    cost: Cost, workers: int, *, cores: float, write: float, sites: int, shared: bool
) -> tuple[float, float, str]:
    """Return the pages per second, the load of PostgreSQL's cores, and the longest step of a page.

    A worker takes a page as soon as it has finished the one before. It first uses its own processor
    time, and then makes one transaction per commit, the first of which holds the row lock of the
    page's site. The disk writes all pending commits together in `write` ms; later ones wait.
    Processor times are exponentially distributed. Each worker has a dedicated core, unless all
    share PostgreSQL's cores (`shared`).
    """
    random, spent, counts = Random(1), Counter[str](), Counter[str]()
    now, write_begins = 0.0, -write
    free_at, unlocked_at = [0.0] * ceil(cores), [0.0] * sites

    def end_on_server(mean: float) -> float:
        """Queue work on PostgreSQL's cores, and return when it will end."""
        time = random.expovariate(1 / mean) * ceil(cores) / cores
        counts["busy"] += time  # type: ignore[assignment]
        end = max(now, heappop(free_at)) + time
        heappush(free_at, end)
        return end

    def wait(step: str, until: float) -> float:
        spent[step] += until - now  # type: ignore[assignment]
        return until

    def worker() -> Iterator[float]:
        """Process pages; before each wait, yield the time at which it ends."""
        nonlocal write_begins
        while True:
            own_end = now + random.expovariate(1 / cost.worker)
            yield wait("workers", end_on_server(cost.worker) if shared else own_end)
            site = random.randrange(sites)
            while unlocked_at[site] > now:
                yield wait("row locks", unlocked_at[site])
            for transaction in range(max(1, int(cost.commits + random.random()))):
                end = end_on_server(cost.server_for_worker / cost.commits)
                if transaction == 0:
                    unlocked_at[site] = end + SOON
                yield wait("PostgreSQL's cores", end)
                if write_begins < now:
                    write_begins = max(now, write_begins + write)
                if transaction == 0:
                    unlocked_at[site] = write_begins + write
                yield wait("commits", write_begins + write)
            counts["pages"] += 1
            end_on_server(cost.server_for_others + (cost.others if shared else 0))

    events = [(now, number, worker()) for number in range(workers)]
    while events[0][0] < END:
        now, number, process = heappop(events)
        heappush(events, (next(process), number, process))
    load = min(1.0, counts["busy"] / END / ceil(cores))
    longest = max(spent, key=lambda step: spent[step])
    limit = "PostgreSQL's cores" if load > 0.95 else longest
    return 1000 * counts["pages"] / END, load, limit
