"""A run of the whole service as one command, which leaves no process behind."""

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from celery import Celery
from kombu.exceptions import OperationalError as BrokerError
from sqlalchemy.exc import DBAPIError

from detourage.expected_errors import ExpectedError
from detourage.export.formats import FileFormat
from detourage.export.output_files import GrowingFile, write_articles
from detourage.messages import ArticleMessage
from detourage.outcomes import PageOutcome
from detourage.text.plural import pluralise
from worker.error_reports import cause
from worker.local.embedded import embedded_services, remove_services
from worker.local.unfinished import RunFolder, UnfinishedRunError, quarantine_of
from worker.messaging.publishing import publish_pages, purge_pages
from worker.messaging.task_names import CLUSTER_DUE, JOIN_PARTS
from worker.outcomes import ReceiptResult
from worker.processes.supervisor import Supervisor
from worker.service import quarantine
from worker.service.celery_application import TASK_MODULES, create_app
from worker.settings import PREFIX, Settings, SettingsError
from worker.store import articles, progress
from worker.store.database import Database
from worker.store.progress import RunProgress, SiteStatus
from worker.store.schema import migrate

POLL_SECONDS = 0.25  # minimum interval between readings of the progress
ARTICLES_AT_ONCE = 200  # maximum number of articles that are kept in memory at a time
CLUSTER_POLL_SECONDS = 1.0  # interval of acting as Celery beat once all pages are stored
IDLE_GRACE_SECONDS = 0.5  # for the child processes of a complete run, where no work can be lost
STALL_SECONDS = 600.0  # time without any change in its counts after which a run has failed


class RunError(ExpectedError):
    """The run could not be completed; the message explains why in one line."""


class RunSummary(NamedTuple):
    """Summary of a run."""

    sent: int  # number of messages
    progress: RunProgress
    sites: list[SiteStatus]
    articles: int  # number of articles in the output
    quarantine_file: Path | None  # the unusable messages, if there are any
    seconds: float

    @property
    def failed_pages(self) -> int:
        """Number of pages that failed because of a bug in the service."""
        return self.progress.outcomes.get(PageOutcome.FAILED, 0)

    @property
    def quarantined(self) -> int:
        """Number of unusable messages."""
        return self.progress.results.get(ReceiptResult.QUARANTINED, 0)


@contextmanager
def completed_run(
    settings: Settings,
    workers: int,
    messages: Iterable[bytes],
    output: Path,
    folder: RunFolder,
    form: FileFormat = "jsonl",
    *,
    on_progress: Callable[[int, RunProgress], None] = lambda _sent, _counts: None,
    run_alongside: Callable[[Settings], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> Iterator[RunSummary]:
    """Run the service until all messages are processed; yield a summary, then end the processes."""
    started = time.monotonic()
    is_embedded = settings.database_url is None and settings.broker_url is None
    folder.require(
        {
            "version of Détourage": version("detourage"),
            "database": "embedded" if is_embedded else "configured",
            "--text-roles": settings.text_roles,
            f"{PREFIX}QUEUE_PREFIX": settings.queue_prefix,
        }
    )
    with ExitStack() as stack:
        checks: list[Callable[[], None]] = []
        if is_embedded:
            if not folder.is_resumed:
                # An earlier run, killed before it could be resumed, may have left data.
                remove_services(folder.services)
            services = stack.enter_context(embedded_services(folder.services))
            checks.append(services.check)
            urls = {"database_url": services.database_url, "broker_url": services.broker_url}
            settings = Settings.model_validate({**settings.model_dump(), **urls})
        elif settings.database_url is None or settings.broker_url is None:
            names = "DETOURAGE_DATABASE_URL and DETOURAGE_BROKER_URL"
            raise SettingsError(f"set both {names}, or neither")
        database = stack.enter_context(Database(settings.require_database_url()))
        migrate(database)
        # The guardian removes this directory even if this process is killed.
        scratch = Path(tempfile.mkdtemp(prefix="detourage-run-"))
        supervisor = stack.enter_context(Supervisor(remove=[scratch], preload=PRELOAD))
        checks.insert(0, supervisor.check)
        # A run needs no limits: it clusters its pages once all of them are stored, and is the
        # only consumer of its articles.
        unbounded = {"pending_limit": 0, "articles_limit": 0, "first_article_seconds": 0}
        settings = settings.model_copy(update={"heartbeat_directory": scratch, **unbounded})
        if folder.is_resumed and is_embedded:
            # Purged messages are sent again. The interruption must not count as a failed attempt.
            purge_pages(settings)
            database.execute(progress.SQL.forget_attempts)
        start_processes(supervisor, settings, workers, scratch)
        stack.enter_context(run_alongside(settings))
        growing = stack.enter_context(closing(GrowingFile(output)))
        file = growing if form == "jsonl" else None
        incremental = _IncrementalOutput(database, folder.run_id, file)
        monitor = _Monitor(database, folder.run_id, checks, on_progress)
        if folder.is_resumed:
            monitor.report(0)  # writing the articles again may take minutes
            incremental.add_new()
        sent = _send_unstored(settings, database, folder, messages, monitor)
        counts = _wait_until_complete(create_app(settings), sent, monitor, incremental)
        supervisor.grace = IDLE_GRACE_SECONDS
        quarantine_file = None
        if is_embedded and counts.results.get(ReceiptResult.QUARANTINED):
            quarantine_file = quarantine_of(output)
            quarantine.write_quarantined(settings, quarantine_file)
        with database.transaction_without_timeouts() as session:
            messages_of_run = articles.articles_of_run(session, folder.run_id)
            written = write_articles(output, form, map(ArticleMessage.in_order, messages_of_run))
            pattern = {"pattern": f"{folder.run_id}%"}
            keys = session.scalars(progress.SQL.sites_of_run, pattern).all()
            sites = progress.site_statuses(session, keys)
        folder.finish()
        yield RunSummary(
            sent, counts, sites, written, quarantine_file, seconds=time.monotonic() - started
        )


class _IncrementalOutput:
    """Writer that appends new articles of a run to the output, if its format permits."""

    def __init__(self, database: Database, run_id: str, file: GrowingFile | None) -> None:
        self._database = database
        self._run_id = run_id
        self._file = file
        self._revisions: dict[int, int] = {}
        self._counts: RunProgress | None = None

    def add_new(self, counts: RunProgress | None = None) -> None:
        """Add new and revised articles; do nothing if ``counts`` has not changed."""
        if self._file is None or (counts is not None and counts == self._counts):
            return
        self._counts = counts
        revisions = self._database.read_snapshot(articles.revisions_of_run, self._run_id)
        new = [page for page, number in revisions.items() if self._revisions.get(page) != number]
        for start in range(0, len(new), ARTICLES_AT_ONCE):
            page_ids = new[start : start + ARTICLES_AT_ONCE]
            messages = self._database.read_snapshot(
                lambda session, ids: list(articles.articles_of_run(session, self._run_id, ids)),
                page_ids,
            )
            self._file.add(map(ArticleMessage.in_order, messages))
        self._revisions = revisions


@dataclass(frozen=True)
class _Monitor:
    """Checks of a run's processes and servers, and reports of its progress."""

    database: Database
    run_id: str
    checks: Sequence[Callable[[], None]]
    on_progress: Callable[[int, RunProgress], None]

    def report(self, sent: int) -> RunProgress:
        """Return the counts, after `sent` messages; raise RunError if a server was lost."""
        for check in self.checks:
            check()
        try:
            counts = self.database.read_snapshot(progress.run_progress, self.run_id)
        except DBAPIError as error:
            raise RunError(f"lost the database: {cause(error)}") from error
        self.on_progress(sent, counts)
        return counts


def _send_unstored(
    settings: Settings,
    database: Database,
    folder: RunFolder,
    messages: Iterable[bytes],
    monitor: _Monitor,
) -> int:
    """Publish the messages that are not yet stored, and return the total number of messages.

    The broker accepts messages about as fast as they are processed, so progress is reported.
    """
    numbered = NumberedMessages(messages, folder.run_id)

    def unstored_messages(received: Iterator[str]) -> Iterator[tuple[str, bytes]]:
        last, pause = time.monotonic(), POLL_SECONDS
        for message in numbered.without(received):
            # The broker has responded, so the run can be resumed from now on.
            folder.begin()
            yield message
            began = time.monotonic()
            if began - last >= pause:
                monitor.report(numbered.count)
                last, pause = time.monotonic(), _pause_after(began)

    with database.transaction_without_timeouts() as session:
        received: Iterator[str] = iter(())
        if folder.is_resumed:
            query = progress.SQL.received.execution_options(yield_per=1000)
            received = iter(session.scalars(query, {"pattern": f"{folder.run_id}%"}))
        publish_pages(settings, unstored_messages(received))
    return numbered.count


def _pause_after(began: float) -> float:
    """Return how long to wait after reading the counts, which takes long on a large run.

    Reading them must not keep the database busy.
    """
    return max(POLL_SECONDS, 5 * (time.monotonic() - began))


def _wait_until_complete(
    app: Celery, sent: int, monitor: _Monitor, output: _IncrementalOutput
) -> RunProgress:
    """Report progress, and add new articles to the output, until a run is complete.

    Meanwhile, send due tasks, as Celery beat would.
    """
    last_change = last_tick = time.monotonic()
    last_counts: RunProgress | None = None
    while True:
        began = time.monotonic()
        counts = monitor.report(sent)
        output.add_new(counts)
        received_all = counts.received >= sent
        is_extracted = received_all and counts.pending == 0
        if is_extracted and not (counts.outbox or counts.parts):
            return counts
        now = time.monotonic()
        if counts != last_counts:
            last_counts, last_change = counts, now
        elif now - last_change > STALL_SECONDS:
            raise RunError(
                f"no progress for {STALL_SECONDS:.0f} seconds: {counts.received} of"
                f" {pluralise(sent, 'message')} received,"
                f" {pluralise(counts.pending, 'page')} without an outcome"
            )
        if received_all and now - last_tick > CLUSTER_POLL_SECONDS:
            last_tick = now
            # Parts are joined after all pages are extracted, so that each article is joined once.
            due_task = JOIN_PARTS if is_extracted else CLUSTER_DUE
            if counts.parts or not is_extracted:
                try:
                    app.send_task(due_task, kwargs={"settle_seconds": 0})
                except BrokerError as error:
                    raise RunError(f"lost the broker: {cause(error)}") from error
        time.sleep(_pause_after(began))


PRELOAD = (
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "worker.cli",
    "worker.service.intake",
    "worker.service.relay",
    *TASK_MODULES,
)
"""Modules that all processes of the service import; `Supervisor` imports them only once."""


def start_processes(supervisor: Supervisor, settings: Settings, workers: int, logs: Path) -> None:
    """Start the processes of the service: intake, relay, and a worker with its pool."""
    environment = {**os.environ, **settings.environment()}
    command = [sys.executable, "-m", "worker.cli"]
    celery = [sys.executable, "-m", "celery", "-A", "worker", "worker"]
    # Two runs on the same host and broker need distinct names; otherwise, one worker exits.
    celery += ["--concurrency", str(workers), "--hostname", f"run-{os.getpid()}@%h"]
    celery += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    for name, argv in {
        "intake": [*command, "intake"],
        "relay": [*command, "relay"],
        "worker": celery,
    }.items():
        supervisor.start(name, argv, log=logs / f"{name}.log", env=environment)


class NumberedMessages:
    """The messages of a run, whose IDs consist of the run's ID, a number and a digest."""

    def __init__(self, messages: Iterable[bytes], run_id: str) -> None:
        self._messages = messages
        self._run_id = run_id
        self.count = 0

    def without(self, received: Iterator[str]) -> Iterator[tuple[str, bytes]]:
        """Yield ID and body of each message whose ID is not in the sorted ``received``."""
        next_received = next(received, None)
        for body in self._messages:
            # Zero-padded, so that IDs sort correctly as text.
            id_prefix = f"{self._run_id}{self.count:010}-"
            message_id = id_prefix + hashlib.sha256(body).hexdigest()[:16]
            self.count += 1
            if message_id == next_received:
                next_received = next(received, None)
            elif next_received is not None and next_received.startswith(id_prefix):
                break  # The first attempt sent another body under this number.
            else:
                yield message_id, body
        if next_received is not None:
            raise UnfinishedRunError(
                f"message {self.count} of the input differs from that of the first attempt:"
                " use the same input, or start over with --overwrite"
            )
