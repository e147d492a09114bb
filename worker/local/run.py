"""The whole service in one command: pages in, articles out, nothing left running."""

import gzip
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from kombu.exceptions import OperationalError as BrokerError
from sqlalchemy.exc import DBAPIError

from models.links import LinksMessage
from models.messages import ArticleMessage
from worker.errors import ExpectedError
from worker.local.embedded import embedded_services
from worker.messaging.publishing import publish_pages
from worker.messaging.task_names import CLUSTER_DUE, JOIN_PARTS
from worker.outcomes import PageOutcome, ReceiptResult
from worker.processes.supervisor import Supervisor
from worker.service import quarantine
from worker.service.application import create_app
from worker.settings import Settings, SettingsError
from worker.store import articles, page_links, progress
from worker.store.database import Database
from worker.store.migrations import migrate
from worker.store.progress import RunProgress, SiteStatus, SiteTotals
from worker.wording.plural import counted

POLL_SECONDS = 0.25

CLUSTER_POLL_SECONDS = 1.0
"""How often the run plays the part of beat, once all its pages are in the store."""

IDLE_GRACE_SECONDS = 0.5
"""Time that the children have to end after the run is complete: an idle worker takes five
seconds to stop by itself, and has nothing to lose."""

STALL_SECONDS = 600.0
"""A run whose counts stand still for this long has failed: no step of one page takes as long."""


class RunError(ExpectedError):
    """The run could not be completed; the message is one line for a person."""


@dataclass(frozen=True)
class RunSummary:
    """What a run did.

    Parameters
    ----------
    sent
        Messages published.
    progress
        Counts at the end.
    sites
        State of each site of the run.
    articles
        Articles written.
    lists
        Messages of what pages list that were written; None where they were not asked for.
    quarantine_file
        Where unusable messages were written, if there were any.
    seconds
        Wall-clock time.
    """

    sent: int
    progress: RunProgress
    sites: list[SiteStatus]
    articles: int
    lists: int | None
    quarantine_file: Path | None
    seconds: float

    @property
    def totals(self) -> SiteTotals:
        """What the states of the sites come to."""
        return SiteTotals.of(self.sites)

    @property
    def failed_pages(self) -> int:
        """Pages that a defect of the service kept from their outcome."""
        return self.progress.outcomes.get(PageOutcome.FAILED, 0)

    @property
    def quarantined(self) -> int:
        """Messages that were unusable."""
        return self.progress.results.get(ReceiptResult.QUARANTINED, 0)


def _nothing(_settings: Settings) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass
class Run:
    """One run of the service over a finite number of page messages.

    Parameters
    ----------
    settings
        A configured deployment is used; without one, embedded services are
        brought up for the time of the run.
    workers
        Processes that run tasks.
    on_progress
        Called with the number of messages sent and the counts, several times a
        second.
    beside
        Gives what is to stand beside the service while it runs, made of its settings.
    on_end
        Called with the summary when the articles are written, while the service still runs.
    """

    settings: Settings
    workers: int
    on_progress: Callable[[int, RunProgress], None] = field(default=lambda _sent, _counts: None)
    beside: Callable[[Settings], AbstractContextManager[None]] = field(default=_nothing)
    on_end: Callable[[RunSummary], None] = field(default=lambda _summary: None)

    def execute(
        self, messages: Iterable[bytes], output: Path, links: Path | None = None
    ) -> RunSummary:
        """Send the messages, wait for every outcome, write the articles.

        Parameters
        ----------
        messages
            Raw page messages.
        output
            File for one article a line, compressed if its name ends in ``.gz``;
            written whole or not at all.
        links
            File for what pages list, in the same way; None for none.

        Raises
        ------
        RunError
            If the service stopped or stood still, or the output cannot be written.
        SettingsError
            If only one of database and broker is configured.
        EmbeddedError, SupervisorError
            If the services or the processes cannot be brought up.
        """
        started = time.monotonic()
        prefix = f"run-{uuid4()}-"
        with ExitStack() as stack:
            writing = stack.enter_context(ExitStack())
            stream = writing.enter_context(_replacing(output))
            links_stream = writing.enter_context(_replacing(links)) if links else None
            settings, check_services = self._services(stack)
            database = Database(settings.require_database_url())
            stack.callback(database.dispose)
            migrate(database)
            # Removed by the guardian, even when this process is killed.
            scratch = Path(tempfile.mkdtemp(prefix="detourage-run-"))
            supervisor = stack.enter_context(Supervisor(remove=[scratch]))
            # The pages of a run are clustered when all are in the store, and nobody else takes
            # its articles.
            unbounded = {"pending_limit": 0, "articles_limit": 0, "first_article_seconds": 0}
            sends_links = settings.send_links or links is not None
            own = {"heartbeat_directory": scratch, "send_links": sends_links, **unbounded}
            settings = settings.model_copy(update=own)
            start_processes(supervisor, settings, self.workers, scratch)
            stack.enter_context(self.beside(settings))

            def check() -> None:
                supervisor.check()
                check_services()

            sent = publish_pages(settings, messages, message_prefix=prefix)
            counts = self._wait(settings, database, prefix, sent, check)
            # Nothing is in hand any more, so the children may end at once.
            supervisor.grace = IDLE_GRACE_SECONDS
            quarantine_file = None
            if self.settings.broker_url is None and counts.results.get(ReceiptResult.QUARANTINED):
                quarantine_file = output.with_name(f"{output.name}.quarantine.jsonl")
                quarantine.write_quarantined(settings, str(quarantine_file))
            with database.transaction() as session:
                of_run = articles.articles_of_run(session, prefix)
                written = _write_lines(stream, map(ArticleMessage.in_order, of_run))
                lists = None
                if links_stream is not None:
                    of_run = page_links.links_of_run(session, prefix)
                    lists = _write_lines(links_stream, map(LinksMessage.in_order, of_run))
                keys = progress.sites_of_run(session, prefix)
                sites = progress.site_statuses(session, keys)
            writing.close()
            summary = RunSummary(
                sent=sent,
                progress=counts,
                sites=sites,
                articles=written,
                lists=lists,
                quarantine_file=quarantine_file,
                seconds=time.monotonic() - started,
            )
            self.on_end(summary)
        return summary

    def _services(self, stack: ExitStack) -> tuple[Settings, Callable[[], None]]:
        configured = (self.settings.database_url, self.settings.broker_url)
        if all(configured):
            return self.settings, lambda: None
        if any(configured):
            raise SettingsError(
                "set both DETOURAGE_DATABASE_URL and DETOURAGE_BROKER_URL, or neither"
            )
        services = stack.enter_context(embedded_services())
        settings = Settings.model_validate(
            {
                **self.settings.model_dump(),
                "database_url": services.database_url,
                "broker_url": services.broker_url,
                "broker_options": services.broker_transport_options,
            }
        )
        return settings, services.check

    def _wait(
        self,
        settings: Settings,
        database: Database,
        prefix: str,
        sent: int,
        check: Callable[[], None],
    ) -> RunProgress:
        last_change = last_tick = time.monotonic()
        last_counts: RunProgress | None = None
        while True:
            check()
            asked = time.monotonic()
            try:
                counts = database.read_snapshot(
                    lambda session: progress.run_progress(session, prefix)
                )
            except DBAPIError as error:
                raise RunError(f"the database is gone: {_first_line(error)}") from error
            self.on_progress(sent, counts)
            received_all = counts.received >= sent
            is_extracted = received_all and counts.pending == 0
            if is_extracted and counts.outbox == 0 and counts.parts == 0:
                return counts
            now = time.monotonic()
            if counts != last_counts:
                last_counts, last_change = counts, now
            elif now - last_change > STALL_SECONDS:
                raise RunError(
                    f"nothing moved for {STALL_SECONDS:.0f} seconds: {counts.received} of"
                    f" {counted(sent, 'message')} received,"
                    f" {counted(counts.pending, 'page')} without outcome"
                )
            if received_all and now - last_tick > CLUSTER_POLL_SECONDS:
                last_tick = now
                # Parts are joined when all are there, so that none has more revisions than one.
                _request(settings, JOIN_PARTS if is_extracted else CLUSTER_DUE)
            # On a large run the counts themselves cost something.
            time.sleep(max(POLL_SECONDS, 5 * (now - asked)))


def start_processes(supervisor: Supervisor, settings: Settings, workers: int, logs: Path) -> None:
    """Start the service's processes: intake, relay and one worker with its pool."""
    environment = {**os.environ, **settings.environment()}
    command = [sys.executable, "-m", "worker.cli"]
    celery = [sys.executable, "-m", "celery", "-A", "worker", "worker"]
    celery += ["--concurrency", str(workers)]
    celery += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    for name, argv in {
        "intake": [*command, "intake"],
        "relay": [*command, "relay"],
        "worker": celery,
    }.items():
        supervisor.start(name, argv, log=logs / f"{name}.log", env=environment)


def _request(settings: Settings, task: str) -> None:
    try:
        create_app(settings).send_task(task, kwargs={"settle_seconds": 0})
    except BrokerError as error:
        raise RunError(f"the broker is gone: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _write_lines(stream: IO[str], messages: Iterable[dict[str, Any]]) -> int:
    written = 0
    for message in messages:
        stream.write(json.dumps(message, ensure_ascii=False) + "\n")
        written += 1
    return written


@contextmanager
def _replacing(output: Path) -> Iterator[IO[str]]:
    """Open a file that takes the place of ``output`` only when all went well."""
    partial = output.with_name(f".{output.name}.partial")
    try:
        partial.touch()
    except OSError as error:
        raise RunError(f"{output} cannot be written: {error.strerror}") from error
    try:
        if output.suffix == ".gz":
            with (
                partial.open("wb") as raw,
                gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed,
                io.TextIOWrapper(packed, encoding="utf-8") as stream,
            ):
                yield stream
        else:
            with partial.open("w", encoding="utf-8") as stream:
                yield stream
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
