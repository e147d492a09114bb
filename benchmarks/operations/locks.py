"""Share of time in which worker processes wait for PostgreSQL, and the resulting capacity.

python -m benchmarks.operations.locks [--processes N…] [--seconds N] [--write-ms N]

For each number of processes, a separate deployment crawls generated sites without a pause. The
last table is simulated from the cost of a page in the fastest run, in which idle processes add
least to that cost.
"""

import argparse
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil
from sqlalchemy import Connection, create_engine, func, make_url, select, text

from benchmarks.documents import table
from benchmarks.operations.capacity import Cost, simulate
from benchmarks.operations.generated_sites import crawl
from benchmarks.operations.many_sites import publish
from benchmarks.operations.throughput import difference, processor_seconds, seconds
from models.tables import StoredPage
from tests.faults.proving_ground import ProvingGround, Servers
from worker.local.embedded import THROWAWAY_SETTINGS

WARM_UP_PAGES, SITES = 200, 40
WORKERS, CORES, MANY_SITES = (4, 16, 64, 256), (4, 8), 1000
"""Simulated numbers of worker processes, cores of PostgreSQL, and sites crawled concurrently."""

RATE, CORES_LEFT, WRITE = "pages per second", "cores left by other programs", "a write to disk, ms"
SIMULATED = f"{RATE}, simulated"
WAITS = {
    "Lock": "time that a worker waits for a row lock, %",
    "LWLock": "for an internal lock of PostgreSQL, %",
    "IO": "for PostgreSQL's disk, %",
    "": "for PostgreSQL's processor, %",
}
COSTS = {
    "worker": "workers, ms per page",
    "server_for_worker": "PostgreSQL for workers, ms per page",
    "commits": "commits per page",
    "server_for_others": "PostgreSQL for others, ms per page stored",
    "others": "RabbitMQ, intake, relay and beat, ms per page stored",
}

STORED = select(func.count()).select_from(StoredPage)
FINISHED = STORED.where(StoredPage.outcome.is_not(None))
_CONNECTIONS = text("""
    SELECT pid, application_name, coalesce(wait_event_type, ''),
        state = 'active' AND wait_event_type IS DISTINCT FROM 'Client'
    FROM pg_stat_activity WHERE state IS NOT NULL
""")
_COUNTERS = text("""
    SELECT (SELECT sum(xact_commit) FROM pg_stat_database WHERE datname <> 'postgres')::float
        AS commits, sum(fsyncs)::float AS writes, sum(fsync_time) AS writing
    FROM pg_stat_io WHERE object = 'wal'
""")


class Deployment(ProvingGround):
    """A deployment in which connections to PostgreSQL have the name of their process."""

    def start(self, name: str) -> None:
        """Start a process whose connections to PostgreSQL have its name."""
        self._variables = {"PGAPPNAME": name}
        super().start(name)


def measure(processes: int, window: float) -> dict[str, float]:
    """Crawl for `window` seconds with a number of worker processes; return figures by title."""
    home = Path(tempfile.mkdtemp(prefix="detourage-locks-"))
    options: dict[str, Any] = {"pool": processes, "pending_limit": 2000, "settle_seconds": 3}
    with (
        patch.dict(THROWAWAY_SETTINGS, fsync="on", full_page_writes="on", track_wal_io_timing="on"),
        Servers(home) as servers,
        Deployment(servers, home, customised=home, **options) as ground,
        create_engine(
            # Queries from another database do not count as commits in the deployment's database.
            make_url(servers.database_url).set(database="postgres"),
            connect_args={"application_name": "observer"},
            isolation_level="AUTOCOMMIT",
        ).connect() as connection,
    ):
        done, bodies = threading.Event(), crawl(100_000, 1_200_000, at_once=SITES)
        feed = (ground, bodies, Counter[str](), done, False)
        crawler = threading.Thread(target=publish, args=feed, daemon=True)
        crawler.start()
        ground.wait_until(lambda: ground.count(FINISHED) >= WARM_UP_PAGES)
        before, samples, waits = _used(ground, connection), 0, Counter[str]()
        while time.monotonic() < before["time"] + window:
            rows = connection.execute(_CONNECTIONS)
            waits.update(wait for _, name, wait, busy in rows if busy and name == "worker-0")
            samples += 1
            time.sleep(0.02)
        used = difference(_used(ground, connection), before)
        done.set()
        crawler.join()
    others = sum(used[kind] for kind in ("intake", "relay", "beat", "RabbitMQ"))
    of_worker, observing = (
        sum(spent for kind, spent in used.items() if kind.startswith(name))
        for name in ("worker-0 ", "observer ")
    )
    server = used["PostgreSQL"] - observing
    finished, stored = used["pages"], max(1, used["stored"])
    # Meanwhile, the intake may store more or fewer pages than the workers finish.
    spent = {
        "worker": used["worker"] / finished,
        "server_for_worker": of_worker / finished,
        "commits": used["commits"] / 1000 / finished,
        "server_for_others": (server - of_worker) / stored,
        "others": others / stored,
    }
    shares = {title: 100 * waits[wait] / samples / processes for wait, title in WAITS.items()}
    return {
        RATE: used["pages"] / used["time"],
        **shares,
        "in Python, or without a task, %": 100 - sum(shares.values()),
        **{COSTS[part]: 1000 * each for part, each in spent.items()},
        CORES_LEFT: (used["worker"] + server + others + used["idle"]) / used["time"],
        WRITE: used["writing"] / used["writes"],
    }


def _used(ground: Deployment, connection: Connection) -> dict[str, float]:
    """Return the CPU seconds of processes and connections, and PostgreSQL's counters, so far."""
    used = {}
    for pid, name, *_ in connection.execute(_CONNECTIONS).all():
        with suppress(psutil.NoSuchProcess):
            used[f"{name} {pid}"] = seconds([psutil.Process(pid)])
    return {
        **processor_seconds(ground),
        **used,
        **connection.execute(_COUNTERS).mappings().one(),
        "pages": ground.count(FINISHED),
        "stored": ground.count(STORED),
        "time": time.monotonic(),
        "idle": psutil.cpu_times().idle,
    }


def main(processes: Sequence[int], window: float, write: float) -> None:
    """Measure each number of processes, simulate larger numbers, and print both tables."""
    runs = [measure(number, window) for number in processes]
    costs = [Cost(**{part: run[title] for part, title in COSTS.items()}) for run in runs]
    for number, run, cost in zip(processes, runs, costs, strict=True):
        there: dict[str, Any] = {"cores": run[CORES_LEFT], "write": run[WRITE], "sites": SITES}
        run[SIMULATED], *_ = simulate(cost, number, shared=True, **there)
        run["which is off by, %"] = 100 * (run[SIMULATED] / run[RATE] - 1)
    titles = ("worker processes", *(f"{number}:" for number in processes))
    rows = [(name, *(f"{run[name]:.1f}" for run in runs)) for name in runs[0]]
    print(*table(titles, rows), "", sep="\n")
    _, cost = max(zip((run[RATE] for run in runs), costs, strict=True))
    there = {"write": write, "sites": MANY_SITES, "shared": False}
    capacities = []
    for number in WORKERS:
        ends = [simulate(cost, number, cores=cores, **there) for cores in CORES]
        capacities.append((number, *(f"{rate:,.0f}, {limit}" for rate, _, limit in ends)))
    titles = ("worker processes:", *(f"{RATE} and limit, {cores} cores" for cores in CORES))
    print(*table(titles, capacities), sep="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", nargs="+", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--seconds", type=float, default=20.0, dest="window")
    parser.add_argument("--write-ms", type=float, default=1.0, dest="write")
    main(**vars(parser.parse_args()))
