"""Throughput in pages per second with RabbitMQ and PostgreSQL, and distribution of CPU time.

python -m benchmarks.operations.throughput CORPUS… [--sites-of N] [--pools NUMBER…]
"""

import argparse
import gzip
import hashlib
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from benchmarks.documents import table
from benchmarks.operations.sampling.sitecustomize import SAMPLES
from detourage.html import site_key
from tests.faults.proving_ground import ProvingGround, Servers

SAMPLING = Path(__file__).parent / "sampling"

POOLS = (1, 2)
"""Sizes of the process pool that runs tasks; each size is measured."""

PATIENCE_SECONDS = 3600.0

POLL_SECONDS = 1.0
"""Interval, in seconds, between checks for completion, which query PostgreSQL."""

REST_SECONDS = 20.0
"""Duration of the measurement of an idle service, in seconds."""

KINDS = ("intake", "relay", "worker", "beat")

OVERHEAD = ("RabbitMQ", "PostgreSQL", "queue client", "database client")
"""Kinds of work that are overhead of the queues and the database."""

Seconds = Mapping[str, float]


def main(corpora: Iterable[Path], *, sites_of: int = 1, pools: Iterable[int] = POOLS) -> None:
    """Measure one in `sites_of` sites, chosen by a hash, with each number of processes."""
    bodies = [body for corpus in corpora for body in page_messages(corpus, sites_of=sites_of)]
    for pool in pools:
        _print(pool, bodies)


def page_messages(corpus: Path, *, sites_of: int = 1) -> list[bytes]:
    """Return the page messages of one in `sites_of` sites of a corpus."""
    with gzip.open(corpus / "pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        messages = [json.loads(line) for line in lines]
    return [
        json.dumps(message).encode()
        for message in messages
        if _number(site_key(message.get("site"), message["url"])) % sites_of == 0
    ]


def _number(site: str) -> int:
    return int(hashlib.sha256(site.encode()).hexdigest(), 16)


def _print(pool: int, bodies: list[bytes]) -> None:
    home = Path(tempfile.mkdtemp(prefix="detourage-throughput-"))
    samples = home / "samples"
    samples.mkdir()
    with (
        Servers(home) as servers,
        ProvingGround(
            servers,
            home,
            customised=SAMPLING,
            environment={SAMPLES: str(samples)},
            pool=pool,
        ) as ground,
    ):
        ground.patience_seconds = PATIENCE_SECONDS
        ground.poll_seconds = POLL_SECONDS
        resting = processor_seconds(ground)
        time.sleep(REST_SECONDS)
        before = processor_seconds(ground)
        idle = {
            kind: seconds / REST_SECONDS for kind, seconds in difference(before, resting).items()
        }
        sampled_before = _sampled(samples)
        began = time.monotonic()
        ground.publish(bodies)
        ground.wait_for_receipts(len(bodies))
        since = ground.wait_for_work_done()
        after = processor_seconds(ground)
        sampled = difference(_sampled(samples), sampled_before)
    elapsed = since - began
    used = difference(after, before)
    total = sum(used.values())
    print(f"\n{pool} processes run tasks: {len(bodies)} pages in {elapsed:.0f} s,", end=" ")
    print(
        f"{len(bodies) / elapsed:.1f} per second; {1000 * total / len(bodies):.0f} ms of", end=" "
    )
    print("CPU time per page\n")
    shares = [
        (kind, f"{s:.1f}", f"{100 * s / total:.1f}", f"{elapsed * idle[kind]:.1f}")
        for kind, s in used.items()
    ]
    columns = ("process", "CPU seconds:", "share, %:", "of these, when idle:")
    print("\n".join(table(columns, shares)), end="\n\n")
    scale = sum(used[kind] for kind in KINDS) / sum(sampled.values())
    within = {kind: s * scale for kind, s in sampled.items()}
    within |= {kind: used[kind] for kind in ("RabbitMQ", "PostgreSQL")}
    rows = [
        (kind, f"{s:.1f}", f"{100 * s / total:.1f}")
        for kind, s in sorted(within.items(), key=lambda item: -item[1])
    ]
    print("\n".join(table(("spent on", "CPU seconds:", "share, %:"), rows)))
    overhead = sum(within.get(kind, 0.0) for kind in OVERHEAD)
    print(f"\nQueue and database, including their clients: {100 * overhead / total:.1f} %")
    servers_and_relay = sum(used[kind] for kind in ("RabbitMQ", "PostgreSQL", "relay", "beat"))
    print(f"Their processes alone: {100 * servers_and_relay / total:.1f} %")
    at_rest = elapsed * sum(idle.values())
    print(f"An idle service would have used {at_rest:.1f} s in that time.")


def processor_seconds(ground: ProvingGround) -> dict[str, float]:
    """Return the CPU time of each kind of process, including descendants."""
    found = {
        kind: sum(seconds([process, *process.children(recursive=True)]) for process in processes)
        for kind, processes in ground.processes().items()
    }
    found["RabbitMQ"] = seconds(ground.servers.broker_processes())
    found["PostgreSQL"] = seconds(ground.servers.postgresql_processes())
    return found


def seconds(processes: Iterable[psutil.Process]) -> float:
    """Return the CPU time of processes."""
    total = 0.0
    for index, process in enumerate(processes):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
            if not index:
                total += times.children_user + times.children_system
    return total


def _sampled(directory: Path) -> Counter[str]:
    total: Counter[str] = Counter()
    for path in directory.glob("*.json"):
        total.update(json.loads(path.read_text()))
    return total


def difference(after: Seconds, before: Seconds) -> dict[str, float]:
    """Return the increase of each value."""
    return {kind: seconds - before.get(kind, 0.0) for kind, seconds in after.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--sites-of", type=int, default=1)
    parser.add_argument("--pools", nargs="+", type=int, default=POOLS)
    main(**vars(parser.parse_args()))
