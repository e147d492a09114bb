"""Checks of an installation and of a deployment."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from kombu.exceptions import ChannelError

from worker import distance
from worker.messaging.broker import connect, depth, topology_of
from worker.settings import Settings, unknown_variables
from worker.store import backlog, migrations
from worker.store.database import Database
from worker.tasks.rendered import browser_of


@dataclass(frozen=True)
class Finding:
    """Result of one check.

    Parameters
    ----------
    name
        What was looked at.
    healthy
        Whether it is as it should be.
    detail
        What was found, for a person.
    """

    name: str
    healthy: bool
    detail: str


def examine(settings: Settings) -> list[Finding]:
    """Look at everything the service depends on; a check that fails stops no other."""
    findings = [_kernel(), _variables()]
    if settings.render_browser is not None:
        findings.append(_checked("browser", lambda: _browser(settings)))
    if settings.database_url is None and settings.broker_url is None:
        return [
            *findings,
            Finding("deployment", True, "none configured: `run` brings up embedded services"),
        ]
    return [
        *findings,
        _checked("database", lambda: _database(settings)),
        _checked("schema", lambda: _schema(settings)),
        _checked("broker", lambda: _broker(settings)),
        _checked("queues", lambda: _queues(settings)),
    ]


def readiness(settings: Settings, *, accepting: bool = False) -> list[Finding]:
    """Look at what a process needs to do its work, and change nothing.

    Parameters
    ----------
    settings
        Of the deployment.
    accepting
        Whether an intake that waits counts as unhealthy.
    """
    return [
        _checked("database", lambda: _database(settings)),
        _checked("schema", lambda: _schema(settings)),
        _checked("broker", lambda: _broker(settings)),
        _checked("queues", lambda: _queues_are_there(settings)),
        _checked("room", lambda: _room(settings, needed=accepting)),
    ]


def _kernel() -> Finding:
    native = distance.IMPLEMENTATION == "native"
    detail = (
        "native"
        if native
        else f"{distance.IMPLEMENTATION}: thousands of times slower; install with a C compiler"
    )
    return Finding("tree edit distance", native, detail)


def _variables() -> Finding:
    unknown = unknown_variables(os.environ)
    detail = f"no setting is called {', '.join(unknown)}" if unknown else "all variables are known"
    return Finding("settings", not unknown, detail)


def _browser(settings: Settings) -> str:
    browser = browser_of(settings)
    if browser is not None:
        browser.render("<p>A page.</p>", "https://doctor.invalid/")
    return f"{settings.render_browser} renders pages"


def _checked(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, check())
    except Exception as error:  # noqa: BLE001 - whatever is wrong is what is reported
        return Finding(name, False, str(error).splitlines()[0] or type(error).__name__)


def _database(settings: Settings) -> str:
    database = Database(settings.require_database_url())
    try:
        database.ping()
    finally:
        database.dispose()
    return "answers"


def _room(settings: Settings, *, needed: bool) -> str:
    database = Database(settings.require_database_url())
    try:
        with database.transaction() as session:
            is_full = backlog.is_full(session, settings.pending_limit)
    finally:
        database.dispose()
    if not is_full:
        return "pages are taken in"
    waits = f"the intake waits: {settings.pending_limit} pages or messages are under way"
    if needed:
        raise RuntimeError(waits)
    return waits


def _schema(settings: Settings) -> str:
    database = Database(settings.require_database_url())
    try:
        if migrations.is_behind(database):
            raise RuntimeError(migrations.BEHIND)
    finally:
        database.dispose()
    return "up to date"


def _broker(settings: Settings) -> str:
    with connect(settings) as connection:
        connection.ensure_connection(max_retries=1, timeout=5)
    return "answers"


def _queues_are_there(settings: Settings) -> str:
    topology = topology_of(settings)
    with connect(settings) as connection:
        connection.ensure_connection(max_retries=1, timeout=5)
        for queue in (*topology.work_queues, *topology.quarantines.values()):
            try:
                with connection.channel() as channel:
                    depth(channel, queue)
            except ChannelError as error:
                raise RuntimeError(f"{queue} is not declared yet") from error
    return "declared"


def _queues(settings: Settings) -> str:
    topology = topology_of(settings)
    with connect(settings) as connection:
        connection.ensure_connection(max_retries=1, timeout=5)
        try:
            topology.declare(connection)
        except ChannelError as error:
            raise RuntimeError(f"declared otherwise: {error}") from error
    return "declared"
