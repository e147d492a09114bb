"""A simulated broker and worker in one process: tasks run one by one on a real PostgreSQL."""

import json
import random
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from detourage.html import Tree
from detourage.messages import PageMessage
from models.tables import Generation, Membership, OutboxEntry, StoredPage
from worker.messaging import task_names
from worker.service.relay import as_one_task, batch_entries
from worker.store import fetched_pages, trees
from worker.store.database import Database
from worker.store.outbox import WaitingEntry, unpacked_body
from worker.store.pages import FetchedPage
from worker.tasks.assign import assign
from worker.tasks.cluster import cluster
from worker.tasks.compare import compare
from worker.tasks.extract import extract
from worker.tasks.maintenance import prune
from worker.tasks.reprocess import parse, reprocess, reprocess_due
from worker.workflow.parsing import parse_or_reject, store_pages, store_waiting_fetch
from worker.workflow.process_state import configure, process_state

T = TypeVar("T")

TASKS: Mapping[str, Callable[..., None]] = {
    task_names.ASSIGN: assign,
    task_names.COMPARE: compare,
    task_names.CLUSTER: cluster,
    task_names.EXTRACT: extract,
    task_names.PARSE: parse,
    task_names.PRUNE: prune,
    task_names.REPROCESS_DUE: reprocess_due,
}

_OUTBOX_ALIASES = {task: (alias,) for alias, task in task_names.PUBLISHED_AS.items()}
"""Other names under which the outbox holds tasks that the relay publishes as the same task."""


def decode_message(body: bytes | None) -> Any:
    """Return the JSON values of a message in the outbox."""
    return json.loads(unpacked_body(body or b""))


class Tasks:
    """A simulated broker and worker that runs the tasks in the outbox in random order."""

    def __init__(self, database: Database, seed: int = 0) -> None:
        self.database = database
        self._random = random.Random(seed)

    def restart(self, **settings: object) -> None:
        """Change some settings for all later tasks, as if they ran in a new process."""
        configure(process_state().settings.model_copy(update=settings))

    def publish(self, site: str, htmls: Iterable[tuple[str, str]]) -> int:
        """Store pages as the intake does, given pairs of URL path and HTML; return the site ID."""
        for path, html in htmls:
            url = f"https://news.example/{path}"
            site_id = self._store(FetchedPage(site, url, html, None, None, None, "{}"))
        return site_id

    def send(self, messages: Iterable[Mapping[str, Any]]) -> int:
        """Store the pages in the given page messages; return the site ID of the last one."""
        for values in messages:
            site_id = self._store(FetchedPage.of(PageMessage.model_validate(values)))
        return site_id

    def _store(self, fetched: FetchedPage) -> int:
        known = self.database.run(fetched_pages.unchanged_pages, [fetched]).get(fetched.address)
        page = known or parse_or_reject(
            fetched.content, fetched.url, fetched.content_type, fetched.response
        )
        with self.database.transaction() as session:
            store_url = process_state().settings.pages
            (recorded,) = store_pages(session, [(fetched, page)], store_url)
            return recorded.site_id

    def take(self, task: str) -> list[dict[str, Any]]:
        """Remove all enqueued tasks of a kind, and return their arguments."""
        with self.database.transaction() as session:
            rows = session.execute(
                delete(OutboxEntry)
                .where(OutboxEntry.task.in_((task, *_OUTBOX_ALIASES.get(task, ()))))
                .returning(OutboxEntry.arguments)
            )
            arguments = [arguments for (arguments,) in rows]
        self._random.shuffle(arguments)
        return arguments

    def finish_clustering(self) -> None:
        """Run comparisons and clusterings until none remain."""
        while blocks := self.take(task_names.COMPARE):
            for block in blocks:
                compare(**block)
            for site in self.take(task_names.CLUSTER):
                cluster(**site)

    def run(self, task: str, *, times: int = 1) -> int:
        """Run each enqueued task of a kind the given number of times.

        Return the number of enqueued tasks.
        """
        arguments = self.take(task)
        entries = [WaitingEntry(0, task, each, None, None, None, None, None) for each in arguments]
        for entry in [as_one_task(each) for each in batch_entries(entries)] * times:
            TASKS[task](**(entry.arguments or {}))
        return len(arguments)

    def call(self, task: str, arguments: Mapping[str, Any]) -> None:
        """Run one task."""
        TASKS[task](**arguments)

    def run_all(self) -> None:
        """Run all enqueued tasks, those that they enqueue, and those of fetches that become due."""
        while sum(self.run(task) for task in TASKS) + self._store_due_fetches():
            pass

    def _store_due_fetches(self) -> int:
        """Store fetches that waited for their page's previous outcome; return their number."""
        due_fetches = self.database.execute(fetched_pages.DUE_FETCHES, limit=100)
        for due in due_fetches:
            fetched = fetched_pages.fetched_page_of(due)
            parsed = parse_or_reject(
                fetched.content, fetched.url, fetched.content_type, fetched.response
            )
            page = fetched, parsed
            store_url = process_state().settings.pages
            self.database.run(
                partial(store_waiting_fetch, fetch_id=due.id, page=page, store_url=store_url)
            )
        return len(due_fetches)

    def reprocess(self, site: str, stage: task_names.ReprocessStage = "extract") -> None:
        """Request that a site be reprocessed."""
        reprocess(site, stage)

    def take_articles(self) -> dict[str, dict[str, Any]]:
        """Consume the published articles; return the latest revision of each page, by URL."""
        with self.database.transaction() as session:
            bodies = session.scalars(
                delete(OutboxEntry)
                .where(OutboxEntry.routing_key.is_not(None))
                .returning(OutboxEntry.body)
            ).all()
        articles = sorted(map(decode_message, bodies), key=lambda article: article["revision"])
        return {article["url"]: article for article in articles}

    def cluster(self, site_id: int) -> int:
        """Cluster a site, and run the comparisons that this requires; return the site ID."""
        cluster(site_id)
        self.finish_clustering()
        return site_id

    def process_site(self, site_id: int) -> int:
        """Cluster a site, then run all tasks, so that articles are published; return the ID."""
        self.cluster(site_id)
        self.run_all()
        return site_id

    def revisions(self) -> dict[str, int]:
        """Return the revision of each stored page, by URL."""
        return dict(
            self.query(select(StoredPage.url, StoredPage.revision).order_by(StoredPage.url))
        )

    def outcomes(self) -> dict[str, tuple[str | None, str | None]]:
        """Return the outcome and its detail of each page, by the last segment of the URL."""
        rows = self.query(select(StoredPage.url, StoredPage.outcome, StoredPage.outcome_detail))
        return {url.rpartition("/")[2]: (outcome, detail) for url, outcome, detail in rows}

    def read(self, store_function: Callable[[Session], T]) -> T:
        """Call a function of the store with a session, and return its result."""
        return self.database.run(store_function)

    def query(self, statement: Any) -> Any:
        """Return the rows that a statement selects, or bare values if it selects one column."""
        with self.database.transaction() as session:
            rows = session.execute(statement).all()
            return [row[0] if len(row) == 1 else tuple(row) for row in rows]

    def execute(self, *statements: Any) -> None:
        """Execute statements in a transaction."""
        with self.database.transaction() as session:
            for each in statements:
                session.execute(each)

    def backdate(self, *columns: Any, **passed: float) -> None:
        """Subtract a duration such as ``days=1`` from columns of a table, as if time had passed."""
        values = {each: each - timedelta(**passed) for each in columns}
        self.execute(update(columns[0].class_).values(values))

    def generations(self, site_id: int) -> int:
        """Return the number of clusterings of a site."""
        return len(self.query(select(Generation.number).where(Generation.site_id == site_id)))

    def groups(self, site_id: int) -> dict[str, tuple[int | None, str, str | None]]:
        """Return, by page URL, the group, role and compared page in the latest clustering."""
        last = select(func.max(Generation.number)).where(Generation.site_id == site_id)
        url_of = dict(self.query(select(StoredPage.id, StoredPage.url)))
        return {
            url_of[page_id]: (group, role, url_of.get(template_page_id))
            for page_id, group, role, template_page_id in self.query(
                select(
                    Membership.page_id,
                    Membership.group_number,
                    Membership.role,
                    Membership.template_page_id,
                ).where(
                    Membership.site_id == site_id, Membership.generation == last.scalar_subquery()
                )
            )
        }

    def trees(self, site_id: int) -> dict[int, Tree]:
        """Return the distinct trees of a site."""
        with self.database.transaction() as session:
            ids = session.scalars(select(StoredPage.tree_id).where(StoredPage.site_id == site_id))
            return trees.load_trees(session, {*ids} - {None})[0]
