"""The Celery application, configured by the settings."""

import atexit
import logging
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

from celery import Celery, bootsteps
from celery.app.amqp import AMQP
from celery.beat import PersistentScheduler
from celery.exceptions import CPendingDeprecationWarning
from celery.signals import (
    beat_init,
    setup_logging,
    task_failure,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutting_down,
)
from celery.states import SUCCESS
from celery.utils.dispatch import Signal
from celery.worker.state import active_requests, reserved_requests
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from detourage.expected_errors import ExpectedError
from detourage.text.plural import pluralise
from worker import logs, tracing
from worker.error_reports import is_lost_connection, log_transient
from worker.messaging import task_names
from worker.messaging.broker import (
    REFUSED_ACCESS,
    broker_tls,
    connect,
    describe,
    topology_of,
    transport_options,
)
from worker.messaging.transport import BrokerConnection
from worker.processes.heartbeat import CONFIRM_SECONDS, MAX_AGE_SECONDS, STOP_SECONDS, Heartbeat
from worker.processes.memory_allocation import tune_memory
from worker.service.process_log import log_start
from worker.settings import Settings, has_trace_receiver
from worker.store import schema
from worker.store.database import Database
from worker.workflow.process_state import process_state

logger = logging.getLogger(__name__)

HARD_LIMIT_AFTER_SECONDS = 30.0
"""Time after a task's soft limit at which its process is killed, even if it runs native code."""

WALL_CLOCK_FACTOR = 10
"""Maximum wall-clock time of a page task, as a multiple of its CPU time limit: enough even if the
host is busy. This limit ends tasks that would wait forever."""

MAX_TASK_SECONDS = 1500.0
"""Maximum wall-clock time of any task. It must be less than 30 minutes, because RabbitMQ requeues
messages that are not acknowledged by then (``consumer_timeout``)."""

LOGGED_ARGUMENTS = ("page_id", "site_id", "block_id", "generation", "site", "stage")
"""Arguments of a task that are added to its log lines."""
TASK_MODULES = [f"worker.tasks.{name}" for name in (*task_names.STAGES, "join_parts")]
PAGE_TASKS = (task_names.ASSIGN, task_names.EXTRACT, task_names.PARSE)  # with a CPU time limit


class Messaging(AMQP):
    """Celery's AMQP interface, whose connections can fail over to another node of the broker."""

    Connection = BrokerConnection


class Application(Celery):
    """A Celery application whose beat schedules tasks by name, without importing them."""

    amqp_cls = Messaging

    @property
    def Beat(self) -> Any:  # noqa: N802 - the name is Celery's
        """Celery's class for beat, which is prevented from importing the modules of the tasks."""
        self.conf.include = ()
        return super().Beat


def create_app(settings: Settings) -> Celery:
    """Create the application for the given settings."""
    topology = topology_of(settings)
    interval = settings.search_interval_seconds
    wall_seconds = WALL_CLOCK_FACTOR * settings.page_seconds
    soft_limit = min(wall_seconds, MAX_TASK_SECONDS - HARD_LIMIT_AFTER_SECONDS)
    app = Application("detourage", include=TASK_MODULES)
    app.conf.update(
        broker_url=settings.require_broker_url(),
        broker_use_ssl=broker_tls(settings),
        broker_transport_options=transport_options(settings),
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        task_ignore_result=True,
        task_queues=topology.celery_queues(),
        task_default_queue=topology.task_queue("cluster"),
        task_default_exchange=topology.tasks_exchange.name,
        task_default_exchange_type=topology.tasks_exchange.type,
        task_create_missing_queues=False,
        task_routes={
            task: {"queue": topology.task_queue(stage)}
            for task, stage in task_names.STAGE_OF_TASK.items()
        },
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_acks_on_failure=False,
        task_acks_on_timeout=False,
        task_time_limit=MAX_TASK_SECONDS,
        task_annotations={
            task: {
                "cpu_seconds": settings.page_seconds,
                "cpu_kill_seconds": settings.page_seconds + HARD_LIMIT_AFTER_SECONDS,
                "soft_time_limit": soft_limit,
                "time_limit": soft_limit + HARD_LIMIT_AFTER_SECONDS,
            }
            for task in PAGE_TASKS
        },
        # A worker processes its reserved tasks in order, before any task that arrives later.
        worker_prefetch_multiplier=1,
        worker_soft_shutdown_timeout=5,
        worker_enable_soft_shutdown_on_idle=True,
        # The tasks have no expiry, since expired messages would be dead-lettered to the quarantine.
        beat_schedule={
            "cluster-due-sites": {"task": task_names.CLUSTER_DUE, "schedule": interval},
            "extract-late": {"task": task_names.EXTRACT_LATE, "schedule": interval},
            "join-parts": {"task": task_names.JOIN_PARTS, "schedule": interval},
            "reprocess-due": {"task": task_names.REPROCESS_DUE, "schedule": interval},
        },
        beat_scheduler="worker.service.celery_application:HeartbeatScheduler",
        beat_max_loop_interval=CONFIRM_SECONDS,
    )
    if settings.broker_is_amqp:
        app.conf.update(
            broker_heartbeat=10, task_default_queue_type="quorum", worker_detect_quorum_queues=True
        )
    app.steps["consumer"].add(HeartbeatStep)
    return app


class HeartbeatStep(bootsteps.StartStopStep):
    """Celery step that updates the worker's heartbeat file even if no task ends for a while."""

    requires = frozenset({"celery.worker.consumer.tasks:Tasks"})

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._heartbeat = own_heartbeat("worker")
        self._entries: list[Any] = []
        self._pool_check: Any = None

    def start(self, parent: Any) -> None:
        """Update the heartbeat now and at intervals."""
        confirm, timer = partial(self._confirm, parent.pool), parent.timer
        self._pool_check = None
        self._entries = [
            timer.call_after(0, confirm),
            timer.call_repeatedly(CONFIRM_SECONDS, confirm),
        ]

    def stop(self, parent: Any) -> None:  # noqa: ARG002 - the signature is Celery's
        """Stop updating the heartbeat."""
        for entry in self._entries:
            entry.cancel()

    def _confirm(self, pool: Any) -> None:
        """Update the heartbeat if tasks are running; if idle, have a pool process update it."""
        running, waiting = len(active_requests), len(reserved_requests)
        if running:
            # None of them is stuck, since the pool ends tasks that exceed their time limit.
            self._heartbeat.confirm(f"was connected, and ran {pluralise(running, 'task')}")
        elif not waiting and (self._pool_check is None or self._pool_check.ready()):
            self._pool_check = pool.apply_async(_confirm_ability)


def _confirm_ability() -> None:
    try:
        process_state().database.ping()
    except DBAPIError as error:
        log_transient(logger, "a pool process could not reach the database", error)
    else:
        own_heartbeat("worker").confirm("had no work; broker, pool and database responded")


def own_heartbeat(process: str) -> Heartbeat:
    """Return the heartbeat file of this host's processes of a kind, such as ``worker``."""
    return Heartbeat(process_state().settings.heartbeat_directory, process)


class HeartbeatScheduler(PersistentScheduler):
    """Scheduler that updates the heartbeat when it sends a task, and copes with a clock set back.

    Celery's own scheduler stores the time of its last run on disk, and would not send anything
    until the clock reaches this time again.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._is_sending = self._is_stopping = self._is_cut_off = False
        self._unsent: set[str] = set()
        super().__init__(*args, **kwargs)

    def stop(self) -> None:
        """Exit now or after a send in progress; must not log, as a signal handler calls it."""
        self._is_stopping = True
        if not self._is_sending:
            raise SystemExit

    def apply_async(self, entry: Any, *args: Any, **kwargs: Any) -> Any:
        """Send a task; update the heartbeat unless the last attempt to send another one failed."""
        self._unsent.add(entry.name)
        self._is_sending = True
        try:
            sent = super().apply_async(entry, *args, **kwargs)
        finally:
            self._is_sending = False
        if self._is_stopping:
            raise SystemExit
        self._unsent.remove(entry.name)
        if not self._unsent:
            _confirm_beat(self.app, f"sent {entry.task}")
        return sent

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send a task as Celery does, but report a lost broker in one line, without tracebacks."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except Exception as error:
            origin = error.__context__ or error
            if not is_lost_connection(origin):
                logger.exception("beat could not send %s", entry.task)
                return
            if not self._is_cut_off:
                logger.warning("beat interrupted, reconnecting: %s", describe(origin))
                logger.debug("interruption", exc_info=True)
            self._is_cut_off = True
        else:
            if self._is_cut_off:
                logger.info("beat is connected again")
            self._is_cut_off = False

    def tick(self, *args: Any, **kwargs: Any) -> Any:
        """Send the tasks that are due; first repair the schedule if the clock was set back."""
        now = self.app.now()
        if any(entry.last_run_at > now for entry in self.schedule.values()):
            logger.warning("the clock was set back; restarting the schedule")
            for entry in self.schedule.values():
                entry.last_run_at = now
            self.populate_heap()
        return super().tick(*args, **kwargs)


@setup_logging.connect
def _set_up_logging(logfile: str | None = None, **_: object) -> None:
    settings = process_state().settings
    # Celery would warn at each lost connection that a later version may cancel tasks.
    warnings.simplefilter("ignore", CPendingDeprecationWarning)
    logs.configure(settings.log_level, settings.log_format, logfile, secrets=settings.secrets)


@worker_ready.connect
@beat_init.connect
def _log_process_start(signal: Signal, **_: object) -> None:
    log_start("worker" if signal is worker_ready else "beat", process_state().settings)


@worker_init.connect
@beat_init.connect
def _prepare_servers(signal: Signal, sender: Any = None, **_: object) -> None:
    settings = process_state().settings
    try:
        with Database(settings.require_database_url()) as database:
            schema.require_current(database)
        # Celery declares the queues that it consumes, but not their dead-letter queues, without
        # which rejected messages would be lost.
        with connect(settings) as connection:
            topology_of(settings).declare(connection)
    except (ExpectedError, *REFUSED_ACCESS) as error:
        # If a signal handler raises any exception other than SystemExit, Celery only logs it, and
        # starts anyway.
        sys.exit(f"Error: {error if isinstance(error, ExpectedError) else describe(error)}")
    if signal is beat_init:
        # Beat sends its first task only after an interval.
        _confirm_beat(sender.app, "started; broker and database responded")
    atexit.register(own_heartbeat("beat" if signal is beat_init else "worker").remove)


def _confirm_beat(app: Celery, work: str) -> None:
    interval = min(entry["schedule"] for entry in app.conf.beat_schedule.values())
    own_heartbeat("beat").confirm(work, MAX_AGE_SECONDS + interval)


@beat_init.connect
def _stop_between_sends(sender: Any = None, **_: object) -> None:
    # Celery's own handler closes the connection even during a send, and may then wait forever.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sender.scheduler.stop())


@worker_shutting_down.connect
def _end_without_tasks(**_: object) -> None:
    threading.Thread(target=_end_if_stuck, daemon=True).start()


def _end_if_stuck() -> None:
    """End a worker whose tasks have ended, but which still waits for the broker or its pool."""
    idle_since = time.monotonic()
    while time.monotonic() - idle_since < STOP_SECONDS:
        time.sleep(0.2)
        idle_since = time.monotonic() if active_requests else idle_since
    own_heartbeat("worker").remove()
    os._exit(0)


@worker_process_init.connect
def _begin_process(**_: object) -> None:
    tune_memory()
    # The exporter's thread does not survive a fork.
    if has_trace_receiver():
        tracing.enable("worker")


@worker_process_shutdown.connect
def _write_durations(**_: object) -> None:
    process_state().durations.write()
    tracing.stop()


@task_prerun.connect
def _begin_task(
    task_id: str | None = None,
    task: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    **_: object,
) -> None:
    values = {name: value for name, value in (kwargs or {}).items() if name in LOGGED_ARGUMENTS}
    logs.bind(task=task.name, task_id=task_id, **values)
    task.request.began = time.monotonic()


@task_postrun.connect
def _end_task(
    task: Any = None, kwargs: Mapping[str, Any] | None = None, state: str | None = None, **_: object
) -> None:
    pages = 1 + len((kwargs or {}).get(task_names.OTHERS, ()))
    process_state().durations.record(task.name, time.monotonic() - task.request.began, pages)
    if state == SUCCESS:
        own_heartbeat("worker").confirm(f"finished {task.name}")
    logs.unbind_all()


@task_failure.connect
def _record_failure(
    sender: Any = None,
    task_id: str | None = None,
    exception: BaseException | None = None,
    einfo: Any = None,
    **_: object,
) -> None:
    # Stored in the database, since the quarantined message cannot hold a traceback.
    if task_id is None or sender is None:
        return
    # Imported on demand, since it loads numerical libraries, which relay and beat do not need.
    from worker.store import progress

    try:
        # Tried only once: this may be the consumer process, which must not wait for the database.
        with process_state().database.transaction() as session:
            error = f"{type(exception).__name__}: {exception}"
            failure = {"error": error, "traceback": str(einfo or "")}
            failed = {"task_id": task_id, "task": sender.name, **failure}
            session.execute(progress.SQL.record_failure, failed)
    except SQLAlchemyError:
        logger.exception("cannot record the failure of %s", sender.name)
