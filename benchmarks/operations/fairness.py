"""How many tasks of other sites precede a task, which does not depend on how long tasks take.

python -m benchmarks.operations.fairness [--sites N] [--dump N] [--steps N] [--probe-steps N]

All sites have a backlog, which grows: more tasks arrive than are served. One site dumps its tasks
at once. Known sites and new ones occasionally enqueue a single task.
"""

import argparse
import random
from collections import defaultdict
from itertools import count

import numpy as np
from sqlalchemy import text

from benchmarks.documents import table
from tests.services import running_services, temporary_database
from worker.store import outbox
from worker.store.database import Database
from worker.store.outbox import LaneQuota
from worker.store.schema import migrate

LANE = "detourage.extract"

AT_ONCE = 8
"""Number of tasks that the relay takes in each step, to send them as a batch."""

ARRIVALS = 12
"""Number of tasks that arrive in each step: more than are taken, so that backlogs grow."""

KNOWN_SITES = range(1_000_000, 1_000_010)


def main(sites: int, dump: int, steps: int, probe_steps: int) -> None:
    """Simulate the queue, and print how many tasks precede a task of each kind of site."""
    crawled = range(1, sites + 1)
    rng = random.Random(1)
    served = 0
    asked: dict[int, tuple[str, int]] = {}
    waited: defaultdict[str, list[int]] = defaultdict(list)
    numbers, newcomers = count(), count(2_000_000)
    with running_services() as services, temporary_database(services) as url:
        database = Database(url)
        migrate(database)

        def ask(site_ids: list[int], kind: str = "") -> None:
            wanted = []
            for site_id in site_ids:
                number = next(numbers)
                wanted.append((site_id, {"number": number}))
                if kind:
                    asked[number] = kind, served
            with database.transaction() as session:
                outbox.add_tasks_of_sites(session, LANE, wanted)

        for _ in range(12):
            ask(list(crawled))
        for step in range(steps):
            if step == steps // 10:
                ask([0] * dump)
            ask(rng.choices(crawled, k=ARRIVALS))
            if step % probe_steps == 0:
                ask([rng.choice(KNOWN_SITES)], "one of a known site")
                ask([next(newcomers)], "the first of a new site")
            with database.transaction() as session:
                half = LaneQuota(AT_ONCE, AT_ONCE // 2)
                taken = outbox.take_next(session, {LANE: half}, max_bytes=1 << 20)[LANE]
                outbox.remove(session, [entry.id for entry in taken])
            for entry in taken:
                number = (entry.arguments or {})["number"]
                if number in asked:
                    kind, before = asked.pop(number)
                    waited[kind].append(served - before)
                served += 1
        with database.transaction() as session:
            waiting = session.scalar(text("SELECT count(*) FROM outbox WHERE lane IS NOT NULL"))
            print(f"{served} tasks served, {waiting} wait, {len(asked)} probes wait")
        database.dispose()
    rows = [
        (kind, len(each), *map(int, np.percentile(each, [50, 95, 100])))
        for kind, each in waited.items()
    ]
    print(
        "\n".join(table(("task", "served:", "others before it, median:", "95 %:", "most:"), rows))
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sites", type=int, default=2000)
    parser.add_argument("--dump", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--probe-steps", type=int, default=5)
    main(**vars(parser.parse_args()))
