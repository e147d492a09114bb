"""Health checks of an installation and of a deployment."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kombu.exceptions import ChannelError

from worker.error_reports import without_passwords
from worker.messaging.broker import broker_connection, depth, topology_of
from worker.messaging.task_names import REPEATED
from worker.settings import Settings, unknown_variables
from worker.store import progress, schema
from worker.store.database import Database
from worker.workflow.process_state import browser_of

Check: TypeAlias = Callable[[Settings], str]
"""A check: returns a human-readable detail, or raises an exception if it fails."""


class Finding(NamedTuple):
    """Result of one check."""

    name: str
    is_healthy: bool
    detail: str


def examine(settings: Settings, *, must_accept: bool = False) -> list[Finding]:
    """Check the settings, and the servers as `readiness` does, but declare missing queues."""
    unknown = unknown_variables(os.environ)
    detail = f"unknown: {', '.join(unknown)}" if unknown else "all variables are known"
    findings = [Finding("settings", not unknown, detail)]
    if settings.render_browser is not None:
        findings.append(_run_check("browser", _check_browser, settings))
    if settings.database_url is None and settings.broker_url is None:
        configured = "none configured: `run` brings up embedded services"
        return [*findings, Finding("deployment", True, configured)]
    store = {"object store": _check_object_store} if settings.pages else {}
    return [*findings, *_check_servers(settings, must_accept, _declare_queues, **store)]


def readiness(settings: Settings, *, must_accept: bool = False) -> list[Finding]:
    """Check the servers without side effects; with ``must_accept``, a paused intake is a failure.

    If a check fails, those that depend on it are omitted.
    """
    return list(_check_servers(settings, must_accept, _check_queues))


def _check_servers(
    settings: Settings, must_accept: bool, check_queues: Check, **store_checks: Check
) -> Iterator[Finding]:
    def check_room(settings: Settings) -> str:
        with _command_database(settings) as database, database.transaction() as session:
            is_full = progress.is_backlog_full(session, settings.pending_limit, repeated=REPEATED)
        if not is_full:
            return "the intake accepts pages"
        limit = settings.pending_limit
        detail = f"the intake pauses: {limit} or more pages or messages are in progress"
        if must_accept:
            raise RuntimeError(detail)
        return detail

    chains: Sequence[Mapping[str, Check]] = (
        {"database": _check_database, "schema": _check_schema, "room": check_room, **store_checks},
        {"broker": _check_broker, "queues": check_queues},
    )
    for chain in chains:
        for name, check in chain.items():
            finding = _run_check(name, check, settings)
            yield finding
            if not finding.is_healthy:
                break  # Each check depends on the previous ones.


def _run_check(name: str, check: Check, settings: Settings) -> Finding:
    try:
        return Finding(name, True, check(settings))
    except Exception as error:  # noqa: BLE001 - any error is a result to report
        lines = str(getattr(error, "orig", None) or error).splitlines() or [type(error).__name__]
        return Finding(name, False, without_passwords(lines[0]))


def _check_browser(settings: Settings) -> str:
    browser = browser_of(settings)
    if browser is not None:
        browser.render("<p>A page.</p>", "https://health.invalid/")
    return f"{settings.render_browser} renders pages"


def _check_object_store(settings: Settings) -> str:
    from worker.store.fetched_pages import check_store

    with _command_database(settings) as database, database.transaction() as session:
        check_store(session, settings.pages)
    return f"{settings.pages} accepts pages"


def _command_database(settings: Settings) -> Database:
    return Database(settings.require_database_url(), connect_seconds=schema.COMMAND_CONNECT_SECONDS)


def _check_database(settings: Settings) -> str:
    with _command_database(settings) as database:
        database.ping()
    return "responds"


def _check_schema(settings: Settings) -> str:
    with _command_database(settings) as database:
        schema.check_current(database)
    return "up to date"


def _check_broker(settings: Settings) -> str:
    with broker_connection(settings):
        return "responds"


def _check_queues(settings: Settings) -> str:
    topology = topology_of(settings)
    with broker_connection(settings) as connection:
        for queue in (*topology.work_queues, *topology.quarantines.values()):
            try:
                with connection.channel() as channel:
                    depth(channel, queue)
            except ChannelError as error:
                raise RuntimeError(f"{queue} is not declared yet") from error
    return "declared"


def _declare_queues(settings: Settings) -> str:
    with broker_connection(settings) as connection:
        try:
            topology_of(settings).declare(connection)
        except ChannelError as error:
            raise RuntimeError(f"a queue exists with other arguments: {error}") from error
    return "declared"
