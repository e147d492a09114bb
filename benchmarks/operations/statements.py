"""Statements and commits of each task, and what makes pages be extracted again.

python -m benchmarks.operations.statements CORPUS… [--sites N] [--pages N] [--together N]

The sites with the most pages are crawled in five visits, as in `against_plain`, and each site whose
pages have changed is clustered after each visit. Tasks run one by one in this process, so the
figures are the same on every machine. ``--together`` is the number of pages that arrive at a time.
Polls by beat, and polls by the relay that find nothing, are not counted.
"""

import argparse
import hashlib
import json
import logging
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import event, text
from sqlalchemy.orm import Session

from benchmarks.documents import table
from benchmarks.operations.against_plain import crawl
from detourage.messages import PageMessage
from tests.inline_tasks import TASKS
from tests.services import running_services, temporary_database
from worker.messaging import task_names
from worker.service.relay import FEW_ENTRIES, as_one_task, batch_entries, queue_limits
from worker.settings import load_settings
from worker.store import clusterings, outbox
from worker.store.clusterings import SettleTimes
from worker.store.database import Database
from worker.store.fetched_pages import unchanged_pages
from worker.store.outbox import SQL, LaneQuota
from worker.store.pages import FetchedPage
from worker.store.schema import migrate
from worker.workflow import clustering_requests, clustering_results, extraction_results
from worker.workflow.parsing import parse_or_reject, store_pages
from worker.workflow.process_state import configure, process_state

PLACES = LaneQuota(200, 100)

ARRIVALS_HELD = 3
"""Number of pages that arrive within the relay's `HELD_SECONDS` if each is finished before the next
arrives: the relay needs a third of a second to publish a page's task, and then its article."""


class Counted:
    """The numbers of statements, commits and calls of each task, and the causes of extractions."""

    def __init__(self, database: Database) -> None:
        self.task = ""
        self.statements: Counter[str] = Counter()
        self.commits: Counter[str] = Counter()
        self.causes: Counter[str] = Counter()
        self._inputs: dict[str, Mapping[str, object]] = {}
        event.listen(database.engine, "before_cursor_execute", self._count_statement)
        event.listen(database.engine, "commit", self._count_commit)
        self._key = extraction_results.extraction_key
        # Each computation of a key records the inputs, so that changed inputs can be reported.
        for module in (extraction_results, clustering_results):
            setattr(module, "extraction_key", self._record_key)  # noqa: B010 - not exported

    def _count_statement(self, *_: object) -> None:
        self.statements[self.task] += 1

    def _count_commit(self, _connection: object) -> None:
        self.commits[self.task] += 1

    def _record_key(self, *inputs: Any) -> str:
        key = self._key(*inputs)
        names = ("content", "compared page", "comment pattern", "roles", "shared lines")
        self._inputs[key] = {name: repr(each) for name, each in zip(names, inputs, strict=False)}
        return key

    def note_causes(self, keys: Mapping[int, str], former: Mapping[int, str]) -> None:
        """Count the pages with new keys by the inputs that changed."""
        for page_id, key in keys.items():
            before, now = self._inputs.get(former.get(page_id, "")), self._inputs[key]
            if before is None:
                self.causes["first extraction"] += 1
            elif key != former[page_id]:
                changed = [name for name in now if now[name] != before[name]]
                self.causes[", ".join(changed)] += 1


class Crawl:
    """A simulated intake, relay and worker."""

    def __init__(self, counted: Counted) -> None:
        self._counted = counted
        self._database = process_state().database
        bounds = queue_limits(process_state().settings)
        self._lanes = [lane for lane, bound in bounds.items() if lane and bound is not None]
        self._quotas = dict.fromkeys(self._lanes, PLACES)
        self._held = ExitStack()
        self._session: Session | None = None  # open while published messages are yet to be removed
        self._published: list[int] = []

    def receive(self, bodies: Sequence[bytes]) -> None:
        """Store page messages as the intake stores those that it receives together."""
        self._counted.task = "intake"
        messages = map(PageMessage.model_validate_json, bodies)
        fetched = [replace(FetchedPage.of(message), is_received=True) for message in messages]
        known = self._database.run(unchanged_pages, fetched) if len(fetched) > 1 else {}
        read = [
            known.get(f.address) or parse_or_reject(f.content, f.url, f.content_type, f.response)
            for f in fetched
        ]
        pages = list(zip(fetched, read, strict=True))
        self._database.run(store_pages, pages)

    def cluster(self) -> None:
        """Cluster the sites whose pages have changed, and run everything that follows."""
        self._counted.task = "idle"
        at_once = SettleTimes(0, 0, 1e9, 0, clustering_requests.MIN_GROWTH)
        due = self._database.run(clusterings.due_sites, at_once, patience_seconds=0)
        if due:
            self._counted.task = "beat"
            self._database.run(clustering_requests.request_clusterings, due)
        self.settle()
        self.release()

    def settle(self) -> None:
        """Run tasks until none remain."""
        while self._relay():
            pass

    def release(self) -> None:
        """Remove the published messages from the outbox, and commit."""
        if self._session is not None:
            self._counted.task = "relay"
            outbox.remove(self._session, self._published)
            self._held.close()
            self._session, self._published = None, []

    def _relay(self) -> bool:
        """Take and run waiting tasks, as relay and worker do; return whether there were any."""
        waiting = {"lanes": self._lanes}
        if self._session is None:
            self._counted.task = "idle"
            if not self._database.run(lambda session: session.scalar(SQL.lanes_waiting, waiting)):
                return False
            self._counted.statements["relay"] += 1
            self._session = self._held.enter_context(self._database.transaction())
        self._counted.task = "relay"
        lanes = outbox.take_next(
            self._session, self._quotas, max_bytes=2**25, published=self._published
        )
        taken = [each for entries in lanes.values() for each in entries]
        if not taken:  # a poll that finds nothing is not counted
            self._counted.statements["relay"] -= 1
        self._published += [each.id for each in taken]
        for entry in map(as_one_task, batch_entries(taken)):
            if entry.task is not None:
                self._run(entry.task, entry.arguments or {})
        if len(self._published) >= FEW_ENTRIES:
            self.release()
        return bool(taken)

    def _run(self, task: str, arguments: Mapping[str, Any]) -> None:
        extracts = task in (task_names.ASSIGN, task_names.EXTRACT)
        former = self._keys() if extracts else {}
        self._counted.task = task
        TASKS[task](**arguments)
        if extracts:
            self._counted.note_causes(self._keys(), former)

    def _keys(self) -> dict[int, str]:
        self._counted.task = "keys"
        query = text("SELECT id, extraction_key FROM pages WHERE extraction_key IS NOT NULL")
        return dict(self._database.run(lambda session: session.execute(query).all()))


def digest_of_articles(database: Database) -> str:
    """Return the digest of the latest texts of all pages."""
    query = text("""
        SELECT url, outcome, message ->> 'text' FROM pages LEFT JOIN articles
        ON page_id = pages.id AND articles.revision = pages.revision ORDER BY url
    """)
    rows = database.run(lambda session: [[*row] for row in session.execute(query)])
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]


def main(corpora: Sequence[Path], sites: int, pages: int, together: int) -> None:
    """Crawl the sites, and print statements, commits and causes of extractions for each visit."""
    visits = crawl(corpora, sites=sites, pages=pages)
    with running_services() as services, temporary_database(services) as url:
        with Database(url) as database:
            migrate(database)
        os.environ["DETOURAGE_DATABASE_URL"] = url
        os.environ["DETOURAGE_BROKER_URL"] = services.broker_url
        configure(load_settings())
        logging.disable(logging.WARNING)
        counted = Counted(process_state().database)
        crawled = Crawl(counted)
        for number, visit in enumerate(visits, 1):
            for each in (counted.statements, counted.commits, counted.causes):
                each.clear()
            for place, first in enumerate(range(0, len(visit), together), 1):
                crawled.receive(visit[first : first + together])
                crawled.settle()
                if place % ARRIVALS_HELD == 0:
                    crawled.release()
            crawled.cluster()
            _print(number, len(visit), counted)
        print("\ntexts:", digest_of_articles(process_state().database))
        process_state().database.dispose()


def _print(visit: int, pages: int, counted: Counted) -> None:
    tasks = [task for task, _ in counted.statements.most_common() if task not in ("idle", "keys")]
    both = (counted.statements, counted.commits)
    rows = [(task, *(f"{each[task] / pages:.1f}" for each in both)) for task in tasks]
    rows.append(("all", *(f"{sum(each[task] for task in tasks) / pages:.1f}" for each in both)))
    print(f"\nvisit {visit}: {pages} pages\n")
    print("\n".join(table(("task", "statements a page:", "commits:"), rows)))
    print("\nextractions:", dict(counted.causes.most_common()), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--sites", type=int, default=12)
    parser.add_argument("--pages", type=int, default=240)
    parser.add_argument("--together", type=int, default=8)
    main(**vars(parser.parse_args()))
