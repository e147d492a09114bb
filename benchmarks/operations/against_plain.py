"""CPU time per page of the service and of a Celery task that calls trafilatura and inserts a row.

python -m benchmarks.operations.against_plain CORPUS… [--sites N] [--pages N]

Both use the same broker and database. The sites with the most pages are crawled in five visits. In
each visit, first the service and then the task reads a fifth of every site's pages; a sixth visit
fetches a third of the pages again, unchanged. Needs the ``benchmarks`` extra.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import psutil
from sqlalchemy import text

from benchmarks.documents import table
from benchmarks.operations import plain_worker
from benchmarks.operations.throughput import (
    difference,
    page_messages,
    processor_seconds,
    seconds,
)
from detourage.html import site_key
from tests.faults.proving_ground import ProvingGround, Servers
from worker.store.durations import histograms

VISITS = 5
AGAIN = 3
"""Interval between the pages that the last visit fetches again: one in three."""

PATIENCE_SECONDS = 3600.0
SERVERS = ("RabbitMQ", "PostgreSQL")

Measured = Mapping[str, float]


def crawl(corpora: Sequence[Path], *, sites: int, pages: int) -> list[list[bytes]]:
    """Return the messages of each visit, a day apart, from the sites with the most pages."""
    bodies_by_site: dict[str, list[bytes]] = defaultdict(list)
    for corpus in corpora:
        for body in page_messages(corpus):
            message = json.loads(body)
            bodies_by_site[site_key(message.get("site"), message["url"])].append(body)
    largest = sorted(bodies_by_site, key=lambda site: (-len(bodies_by_site[site]), site))[:sites]
    share = max(1, pages // max(1, len(largest)))
    visits = [
        [body for site in largest for body in bodies_by_site[site][:share][number::VISITS]]
        for number in range(VISITS)
    ]
    visits.append([body for visit in visits for body in visit][::AGAIN])
    return [[fetched(body, day) for body in visit] for day, visit in enumerate(visits, 1)]


def fetched(body: bytes, day: int) -> bytes:
    """Return a page message with the given day as the time of the fetch."""
    return json.dumps(json.loads(body) | {"fetched_at": f"2026-01-{day:02}T00:00:00Z"}).encode()


class Plain:
    """The plain worker, on the servers of the service."""

    def __init__(self, servers: Servers, home: Path) -> None:
        self._servers = servers
        self._sent = 0
        self.execute("CREATE TABLE plain (url text, article text)")
        plain_worker.app.conf.broker_url = servers.broker_url
        argv = [sys.executable, "-m", "celery", "-A", "benchmarks.operations.plain_worker"]
        more = ["--concurrency=2", "--without-gossip", "--without-mingle"]
        dsn = servers.database_url.replace("+psycopg2", "")
        self._pid = servers.supervisor.start(
            "plain",
            [*argv, "--broker", servers.broker_url, "worker", *more],
            log=home / "plain.log",
            env={**os.environ, "PLAIN_DATABASE_URL": dsn},
        )

    def execute(self, statement: str) -> int:
        """Run a statement; return the first value of its result, or 0 if there is none."""
        return int(self._servers.execute(statement) or 0)

    def read(self, bodies: Sequence[bytes]) -> None:
        """Read pages, and wait until the worker has inserted all rows."""
        for body in bodies:
            plain_worker.extract.delay(body.decode())
        self._sent += len(bodies)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.execute("SELECT count(*) FROM plain") < self._sent:
            assert time.monotonic() < deadline
            time.sleep(0.5)

    def used(self) -> dict[str, float]:
        """Return the CPU time of the worker and of the servers."""
        process = psutil.Process(self._pid)
        return {
            "worker": seconds([process, *process.children(recursive=True)]),
            "RabbitMQ": seconds(self._servers.broker_processes()),
            "PostgreSQL": seconds(self._servers.postgresql_processes()),
        }


def measured(read: Callable[[], None], used: Callable[[], Measured]) -> tuple[Measured, float]:
    """Return the CPU seconds by process, and the elapsed seconds, that reading pages takes."""
    before, began = used(), time.monotonic()
    read()
    return difference(used(), before), time.monotonic() - began


def main(corpora: Sequence[Path], sites: int, pages: int) -> None:
    """Crawl the sites with each of the two workers, and print their CPU times per page."""
    visits = crawl(corpora, sites=sites, pages=pages)
    home = Path(tempfile.mkdtemp(prefix="detourage-plain-"))
    with Servers(home) as servers, ProvingGround(servers, home) as ground:
        ground.patience_seconds, ground.poll_seconds = PATIENCE_SECONDS, 0.5
        plain = Plain(servers, home)
        sent = 0

        def read(bodies: Sequence[bytes]) -> None:
            ground.publish(bodies)
            ground.wait_for_receipts(sent)
            ground.wait_for_work_done()

        def database() -> dict[str, float]:
            with ground.database.transaction() as session:
                own = "FROM pg_stat_database WHERE datname = current_database()"
                commits = session.scalar(text(f"SELECT xact_commit {own}")) or 0
                size = session.scalar(text("SELECT pg_database_size(current_database())")) or 0
                done = histograms(session)
            logs = sum(path.stat().st_size for path in home.glob("*.log"))
            return {"commits": commits, "kB of database": size / 1e3, "kB of log": logs / 1e3} | {
                each: max(found.cumulative.values()) for each, found in done.items()
            }

        # The first task of each process imports its modules.
        plain.read(visits[0][:2])
        for number, visit in enumerate(visits, 1):
            sent += len(visit)
            counts = database()
            ours, elapsed = measured(partial(read, visit), partial(processor_seconds, ground))
            grown = difference(database(), counts)
            peer, by_peer = measured(partial(plain.read, visit), plain.used)
            name = f"visit {number}" if number <= VISITS else "the same pages again"
            print(f"\n{name}: {len(visit)} pages, {elapsed:.0f} s (plain: {by_peer:.0f} s)\n")
            rows = []
            for who, used in (("the service", ours), ("the plain worker", peer)):
                own = sum(s for kind, s in used.items() if kind not in SERVERS)
                of_each = {kind: 1e3 * s / len(visit) for kind, s in used.items()}
                shown = ", ".join(f"{kind} {ms:.0f}" for kind, ms in of_each.items())
                whole = sum(of_each.values())
                rows.append((who, f"{1e3 * own / len(visit):.0f}", f"{whole:.0f}", shown))
            print("\n".join(table(("reader", "ms a page:", "with servers:", "by process"), rows)))
            print(
                "\nthe service, a page:",
                ", ".join(f"{v / len(visit):.2f} {k}" for k, v in grown.items() if v),
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--sites", type=int, default=60)
    parser.add_argument("--pages", type=int, default=2000)
    main(**vars(parser.parse_args()))
