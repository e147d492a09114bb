"""Cost of a page in statements, bytes and CPU time, and the deployment that a load requires.

python -m benchmarks.operations.sizing CORPUS… [--sites-of N] [--pool N]
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import psutil
from sqlalchemy import text

from benchmarks.documents import table
from benchmarks.operations import minimal_task
from benchmarks.operations.process_memory import proportional_mebibytes
from benchmarks.operations.sampling.sitecustomize import MESSAGE, TRAFFIC
from benchmarks.operations.throughput import (
    PATIENCE_SECONDS,
    POLL_SECONDS,
    REST_SECONDS,
    SAMPLING,
    Seconds,
    difference,
    page_messages,
    processor_seconds,
    seconds,
)
from tests.faults.proving_ground import ProvingGround, Servers, signal_all
from worker.store.database import Database

MOST_FREQUENT = 15
"""Number of statements to list, the most frequently executed ones first."""

STATISTICS_SECONDS = 3.0
"""Time within which PostgreSQL's processes report their statistics."""

MILLIONS = (1, 10, 100)
"""Stored pages, in millions, that the deployment is sized for."""

RATES = (1, 10, 50)
"""Pages per second that the deployment is sized for."""

LOAD = 0.7
"""Planned load of a processor core."""

CORES = 8
"""Number of processor cores of a host."""

DAY_SECONDS = 86_400

FLOOR_TASKS = 2000

POOL = "worker, a process of its pool"

RAW = ("page_contents",)

NAMES = (WAL, COMMITS) = ("bytes of the write-ahead log", "commits")

_COUNTERS = text("""
    SELECT wal_bytes, xact_commit FROM pg_stat_wal, pg_stat_database
    WHERE datname = current_database()
""")
_TABLES = text("""
    SELECT relname, pg_table_size(relid), pg_indexes_size(relid), n_tup_ins, n_tup_upd,
        n_tup_hot_upd, n_tup_del
    FROM pg_stat_user_tables
""")
_UNUSED = text("""
    SELECT indexrelname, pg_relation_size(indexrelid) FROM pg_stat_user_indexes
    WHERE idx_scan = 0 AND pg_relation_size(indexrelid) > 16384 ORDER BY 2 DESC
""")


@dataclass(frozen=True)
class Cost:
    """Total cost of a number of pages.

    `traffic` has the numbers of statements, by text, and of messages; `counters` has those of
    PostgreSQL; `idle` has both for an idle service. `tables` has the columns of `_TABLES`.
    """

    pages: int
    traffic: Counter[str]
    counters: Counter[str]
    idle: Counter[str]
    tables: Mapping[str, Sequence[int]]
    unused: Sequence[tuple[str, int]]
    processor: Seconds
    memory: Seconds

    @property
    def statements(self) -> int:
        """Number of SQL statements sent to PostgreSQL."""
        return self.traffic.total() - self.traffic[MESSAGE]

    @property
    def idle_statements(self) -> int:
        """Number of statements that an idle service would have made in the same time."""
        return self.idle.total() - sum(self.idle[name] for name in (MESSAGE, *NAMES))

    def kilobytes(self, tables: Iterable[str]) -> float:
        """Return the size of tables with their indexes, in kB per page."""
        found = (self.tables[name] for name in tables)
        return sum(rows + indexes for rows, indexes, *_ in found) / 1000 / self.pages

    def milliseconds(self, *processes: str) -> float:
        """Return the CPU time of processes per page, in ms."""
        return 1000 * sum(self.processor[each] for each in processes) / self.pages


def main(corpora: Iterable[Path], *, sites_of: int, pool: int) -> None:
    """Measure the cost of a page, and print it with the deployments that it requires."""
    bodies = [body for corpus in corpora for body in page_messages(corpus, sites_of=sites_of)]
    home = Path(tempfile.mkdtemp(prefix="detourage-sizing-"))
    # Full-page images are left out of the write-ahead log: their number depends on the time between
    # checkpoints rather than on the pages.
    with Servers(home) as servers:
        cost = _measured(servers, home, bodies, pool)
        _print_cost(cost)
        _print_deployments(cost)
        _print_floor(servers, home)


def _measured(servers: Servers, home: Path, bodies: Sequence[bytes], pool: int) -> Cost:
    traffic = home / "traffic"
    traffic.mkdir()
    with ProvingGround(
        servers,
        home,
        customised=SAMPLING,
        environment={TRAFFIC: str(traffic)},
        pool=pool,
        settle_seconds=5,
    ) as ground:
        ground.patience_seconds = PATIENCE_SECONDS
        ground.poll_seconds = POLL_SECONDS
        # Both idle and working processes are counted, including the work that they do only at
        # startup.
        idle = _counted(ground, traffic)
        time.sleep(REST_SECONDS)
        before, tables = _counted(ground, traffic), _tables(ground.database)
        processor, began = processor_seconds(ground), time.monotonic()
        ground.publish(bodies)
        ground.wait_for_receipts(len(bodies))
        elapsed = ground.wait_for_work_done() - began
        used = difference(processor_seconds(ground), processor)
        memory = _memory(ground)
        after = _counted(ground, traffic)
        with ground.database.engine.connect() as opened:
            connection = opened.execution_options(isolation_level="AUTOCOMMIT")
            connection.execute(text("VACUUM"))
            unused = [(name, size) for name, size in connection.execute(_UNUSED)]
        after_tables = _tables(ground.database)
    counters = after - before
    at_rest = {name: n * elapsed / REST_SECONDS for name, n in (before - idle).items()}
    return Cost(
        pages=len(bodies),
        traffic=Counter({name: n for name, n in counters.items() if name not in NAMES}),
        counters=Counter({name: counters[name] for name in NAMES}),
        idle=Counter({name: round(n) for name, n in at_rest.items()}),
        tables={
            name: [now - then for now, then in zip(each, tables[name], strict=True)]
            for name, each in after_tables.items()
        },
        unused=unused,
        processor=used,
        memory=memory,
    )


def _counted(ground: ProvingGround, traffic: Path) -> Counter[str]:
    """Return the statements and messages so far, and PostgreSQL's counters."""
    time.sleep(STATISTICS_SECONDS)
    with ground.database.transaction() as session:
        row = session.execute(_COUNTERS).one()
    counted = Counter(dict(zip(NAMES, map(int, row), strict=True)))
    for path in traffic.iterdir():
        for number, what in map(json.loads, path.read_text().splitlines()):
            counted[what] += number
    return counted


def _tables(database: Database) -> dict[str, Sequence[int]]:
    with database.transaction() as session:
        return {name: values for name, *values in session.execute(_TABLES).all()}


def _memory(ground: ProvingGround) -> dict[str, float]:
    """Return the memory of each process of the service and of each server, in MiB."""
    found = {}
    for kind, (process,) in ground.processes().items():
        found[kind] = proportional_mebibytes(process)
        for child in process.children():
            found[POOL] = proportional_mebibytes(child)
    servers = {
        "RabbitMQ": ground.servers.broker_processes(),
        "PostgreSQL": ground.servers.postgresql_processes(),
    }
    for kind, each in servers.items():
        found[kind] = 0.0
        for process in each:
            # A server process ends with its connection, or as soon as its periodic work is done.
            with suppress(psutil.NoSuchProcess):
                found[kind] += proportional_mebibytes(process)
    return found


def _print_cost(cost: Cost) -> None:
    pages = cost.pages
    print(f"{pages} pages\n")
    counted = {
        "statements": (cost.statements, cost.idle_statements),
        "messages": (pages + cost.traffic[MESSAGE], cost.idle[MESSAGE]),
        **{name: (cost.counters[name], cost.idle[name]) for name in NAMES},
    }
    _print(
        ("cost", "per page:", "of it if idle:"),
        [(name, *(f"{each / pages:.2f}" for each in both)) for name, both in counted.items()],
    )
    columns = ("table", "rows, kB:", "indexes, kB:", "inserts:", "updates:", "HOT:", "deletes:")
    by_size = sorted(cost.tables.items(), key=lambda item: -sum(item[1][:2]))
    kilobytes = [
        (name, [each / 1000 for each in sizes], changes)
        for name, (*sizes, inserts, updates, hot, deletes) in by_size
        if any(changes := (inserts, updates, hot, deletes))
    ]
    _print(
        columns,
        [
            (name, *(f"{each / pages:.2f}" for each in (*sizes, *changes)))
            for name, sizes, changes in kilobytes
        ],
    )
    print(f"Database: {cost.kilobytes(cost.tables):.1f} kB per page\n")
    frequent = (
        (f"{number / pages:.2f}", f"`{what[:120]}`")
        for what, number in cost.traffic.most_common()
        if what != MESSAGE
    )
    _print(("per page:", "statement"), list(frequent)[:MOST_FREQUENT])
    _print(
        ("index that no query used", "kB per page:"),
        [(name, f"{size / pages / 1000:.2f}") for name, size in cost.unused],
    )
    times = {kind: cost.milliseconds(kind) for kind in cost.processor}
    _print(
        ("process", "ms per page:", "memory, MiB:"),
        [(kind, f"{times[kind]:.1f}", f"{cost.memory[kind]:.0f}") for kind in times],
    )
    servers = sum(times[kind] for kind in ("RabbitMQ", "PostgreSQL", "relay", "beat"))
    print(f"RabbitMQ, PostgreSQL, relay and beat: {servers:.1f} of {sum(times.values()):.1f} ms\n")


def _print_deployments(cost: Cost) -> None:
    """Print the disk space that `MILLIONS` of pages need, and the resources that `RATES` need."""
    raw, whole = cost.kilobytes(RAW), cost.kilobytes(cost.tables)
    disk = {
        "everything": whole,
        "with HTML stored elsewhere": whole - raw,
        "of everything: indexes": sum(each[1] for each in cost.tables.values()) / 1000 / cost.pages,
    }
    _print(
        ("disk, GB", *(f"{each} million pages:" for each in MILLIONS)),
        [(name, *(f"{each * number:.0f}" for number in MILLIONS)) for name, each in disk.items()],
    )
    columns = []
    for rate in RATES:
        cores = {kind: cost.milliseconds(kind) * rate / 1000 for kind in cost.processor}
        processes = {kind: ceil(cores[kind] / LOAD) for kind in ("intake", "relay", "worker")}
        memory = sum(cost.memory[each] for each in ("worker", "beat", "RabbitMQ", "PostgreSQL"))
        memory += sum(
            number * cost.memory[POOL if kind == "worker" else kind]
            for kind, number in processes.items()
        )
        columns.append(
            {
                **{f"processes: {kind}": f"{number}" for kind, number in processes.items()},
                **{f"cores: {kind}": f"{cores[kind]:.1f}" for kind in ("PostgreSQL", "RabbitMQ")},
                "cores: all": f"{sum(cores.values()):.1f}",
                "memory, GiB": f"{memory / 1024:.1f}",
                f"hosts with {CORES} cores": f"{ceil(sum(cores.values()) / LOAD / CORES)}",
                "database, GB per day": f"{whole * rate * DAY_SECONDS / 1e6:.0f}",
                "write-ahead log, GB per day": (
                    f"{cost.counters[WAL] / cost.pages * rate * DAY_SECONDS / 1e9:.0f}"
                ),
            }
        )
    _print(
        ("load", *(f"{each} pages per second:" for each in RATES)),
        [(name, *(column[name] for column in columns)) for name in columns[0]],
    )


def _print(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print(*table(columns, rows), sep="\n", end="\n\n")


def _print_floor(servers: Servers, home: Path) -> None:
    """Print the CPU time of a task that only inserts a row."""
    url = servers.database_url
    argv = [sys.executable, "-m", "celery", "-A", "benchmarks.operations.minimal_task"]
    worker = servers.supervisor.start(
        "floor",
        [*argv, "--broker", servers.broker_url, "worker", "--concurrency=1"],
        log=home / "floor.log",
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    minimal_task.app.conf.broker_url = servers.broker_url
    with Database(url) as database:
        with database.transaction() as session:
            session.execute(text("CREATE TABLE floor (number integer)"))

        def wait_for(number: int) -> None:
            count = text("SELECT count(*) FROM floor")
            while database.run(lambda session: session.scalar(count)) < number:
                time.sleep(POLL_SECONDS)

        def used() -> dict[str, float]:
            process = psutil.Process(worker)
            return {
                "worker": seconds([process, *process.children(recursive=True)]),
                "RabbitMQ": seconds(servers.broker_processes()),
                "PostgreSQL": seconds(servers.postgresql_processes()),
            }

        minimal_task.insert.delay(url, 0)
        wait_for(1)
        before = used()
        for number in range(FLOOR_TASKS):
            minimal_task.insert.delay(url, number)
        wait_for(1 + FLOOR_TASKS)
        spent = difference(used(), before)
    signal_all(worker, signal.SIGKILL)
    rows = [(kind, f"{1000 * spent[kind] / FLOOR_TASKS:.2f}") for kind in spent]
    _print(("an empty task with one INSERT", "ms:"), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--sites-of", type=int, default=1)
    parser.add_argument("--pool", type=int, default=2)
    main(**vars(parser.parse_args()))
