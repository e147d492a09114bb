"""Response times and memory of the inspector with a large database.

python -m benchmarks.operations.inspector [--copies N] [--rounds N] [--keep]

The service processes the sample crawl once. The content of its database is then copied N times,
with distinct names for each site, page, article and comment. 1,000 copies have 2,000 sites and
about 100,000 pages.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import psutil
import requests
from sqlalchemy import Connection, create_engine, text

from benchmarks.documents import table
from tests.crawled import fill
from tests.deployment import own_settings, remove_queues
from tests.services import running_services, temporary_database
from worker.settings import Settings
from worker.store.database import Database
from worker.store.schema import migrate

PAGES_PER_TEMPLATE = 11

DAYS = 60
"""Number of days over which the pages are spread."""

COPIED = {
    "sites": {"id": "id + copy * :sites", "key": "'c' || copy || '.' || key"},
    "pages": {
        "id": "id + copy * :pages",
        "site_id": "site_id + copy * :sites",
        "received_at": "now() - (:days * (1 - copy / cast(:copies as float))) * interval '1 day'",
        "asked_at": "now() - (:days * (1 - copy / cast(:copies as float))) * interval '1 day'",
    },
    "page_contents": {"page_id": "page_id + copy * :pages"},
    "page_knowledge": {"page_id": "page_id + copy * :pages"},
    "generations": {"site_id": "site_id + copy * :sites"},
    "template_groups": {
        "site_id": "site_id + copy * :sites",
        "representative_id": "representative_id + copy * :pages",
    },
    "group_representatives": {"site_id": "site_id + copy * :sites"},
    "design_changes": {"site_id": "site_id + copy * :sites"},
    "memberships": {
        "page_id": "page_id + copy * :pages",
        "site_id": "site_id + copy * :sites",
        "template_page_id": "template_page_id + copy * :pages",
    },
    "articles": {
        "id": "md5(id::text || copy)::uuid",
        "page_id": "page_id + copy * :pages",
    },
    "comments": {"article_id": "md5(article_id::text || copy)::uuid"},
}
"""Tables to copy, with the columns that differ in a copy."""

VIEWS = (
    "/overview",
    "/sites",
    "/sites?order=name",
    "/sites?order=doubtful",
    "/sites?name=c77&order=changed",
    "/articles",
    "/articles?outcome=article&below=0.8",
    "/articles?words=bridge",
    "/articles?words=nowhere-to-be-found",
    "/articles?site=c17.&language=ar",
    "/quarantine",
    "/sites/{site}",
    "/sites/{site}/groups/{group}",
    "/pairs/{page}/{other}",
    "/pages/{page}",
    "/pages/{page}/stored",
)


def main(copies: int, rounds: int, *, is_kept: bool) -> None:
    """Measure the response times and print them."""
    with ExitStack() as stack:
        services = stack.enter_context(running_services())
        url = stack.enter_context(temporary_database(services))
        database = Database(url)
        migrate(database)
        database.dispose()
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = own_settings(services, url, home)
        stack.callback(remove_queues, settings)
        began = time.monotonic()
        fill(settings, PAGES_PER_TEMPLATE)
        counts, places = multiply(url, copies)
        print(f"{counts}, generated in {time.monotonic() - began:.0f} s", flush=True)
        with inspector(settings) as (base, process):
            idle = resident(process)
            rows = [measured(base, view, places, rounds) for view in VIEWS]
            print("\n".join(table(["view", "median, ms:", "95th, ms:", "largest, kB:"], rows)))
            print(f"memory: {idle:.0f} MB at the start, {resident(process):.0f} MB at the end")
            if is_kept:
                print(base, flush=True)
                process.wait()


def multiply(url: str, copies: int) -> tuple[str, list[dict[str, int]]]:
    """Copy all page data in a database; return a summary, and the views to be measured."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        values = {
            "sites": _value(connection, "SELECT max(id) FROM sites"),
            "pages": _value(connection, "SELECT max(id) FROM pages"),
            "copies": copies,
            "days": DAYS,
        }
        connection.execute(text("SET session_replication_role = replica"))
        for name, changes in COPIED.items():
            columns = [
                column
                for (column,) in connection.execute(
                    text(
                        "SELECT column_name FROM information_schema.columns WHERE table_name = :t"
                        " ORDER BY ordinal_position"
                    ),
                    {"t": name},
                )
            ]
            chosen = ", ".join(changes.get(column, column) for column in columns)
            names = ", ".join(columns)
            connection.execute(
                text(
                    f"INSERT INTO {name} ({names}) SELECT {chosen}"
                    f" FROM {name}, generate_series(1, :copies) AS copy ORDER BY copy"
                ),
                values,
            )
        connection.execute(text("VACUUM ANALYZE"))
        chance = random.Random(0)
        groups = connection.execute(
            text("SELECT site_id, number, representative_id FROM template_groups")
        ).all()
        places = []
        for site, group, page in chance.sample(groups, min(len(groups), 200)):
            pages = [
                each
                for (each,) in connection.execute(
                    text(
                        "SELECT id FROM pages WHERE site_id = :s AND outcome = 'article'"
                        " AND id <> :p"
                    ),
                    {"s": site, "p": page},
                )
            ]
            places.append(
                {"site": site, "group": group, "page": page, "other": chance.choice(pages)}
            )
        found = ", ".join(
            f"{_value(connection, f'SELECT count(*) FROM {name}'):,} {name}"
            for name in ("sites", "pages", "articles", "comments")
        )
    engine.dispose()
    return found, places


def _value(connection: Connection, statement: str) -> int:
    return int(connection.execute(text(statement)).scalar_one())


@contextmanager
def inspector(settings: Settings) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run the inspector; yield its URL and its process."""
    command = [sys.executable, "-m", "worker.cli", "inspect", "--port", "0"]
    with subprocess.Popen(
        command,
        env={**os.environ, **settings.environment()},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        base = process.stderr.readline().split()[0]
        try:
            yield base, process
        finally:
            process.terminate()


def resident(process: subprocess.Popen[str]) -> float:
    """Return the resident memory of a process, in MB."""
    return float(psutil.Process(process.pid).memory_info().rss / 1e6)


def measured(
    base: str, view: str, places: Sequence[dict[str, int]], rounds: int
) -> tuple[str, str, str, str]:
    """Request a view repeatedly and return its response times."""
    chance = random.Random(view)
    seconds, largest = [], 0
    with requests.Session() as session:
        for number in range(rounds + 1):
            address = base + view.format(**chance.choice(places)).removeprefix("/")
            began = time.monotonic()
            response = session.get(address, timeout=60)
            if number:
                seconds.append(1000 * (time.monotonic() - began))
            if response.status_code != 200:
                return (view, str(response.status_code), "", "")
            largest = max(largest, len(response.content))
    median, late = np.percentile(seconds, [50, 95])
    return (view, f"{median:.0f}", f"{late:.0f}", f"{largest / 1000:.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--keep", action="store_true", help="keep the inspector running")
    arguments = parser.parse_args()
    main(arguments.copies, arguments.rounds, is_kept=arguments.keep)
