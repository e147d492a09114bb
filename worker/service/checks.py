"""Health checks of an installation and of a deployment."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from kombu.exceptions import ChannelError

from detourage.errors import ExpectedError
from worker.errors import without_passwords
from worker.messaging.broker import connected, depth, topology_of
from worker.messaging.task_names import REPEATED
from worker.settings import Settings, unknown_variables
from worker.store import progress, schema
from worker.store.database import Database
from worker.store.recording import check_store
from worker.workflow.process import browser_of


@dataclass(frozen=True)
class Finding:
    """Result of one check, with a human-readable ``detail``."""

    name: str
    healthy: bool
    detail: str


def examine(settings: Settings, *, accepting: bool = False) -> list[Finding]:
    """Check all dependencies of the service, even if some checks fail; declare missing queues.

    ``accepting`` has the meaning that it has for `readiness`.
    """
    findings = [_distance(), _variables()]
    if settings.render_browser is not None:
        findings.append(_checked("browser", _browser, settings))
    if settings.database_url is None and settings.broker_url is None:
        return [
            *findings,
            Finding("deployment", True, "none configured: `run` brings up embedded services"),
        ]
    return [
        *findings,
        *_each_while_healthy(
            settings,
            database=_database,
            schema=_schema,
            room=partial(_room, needed=accepting),
            **({"object store": _object_store} if settings.pages else {}),
        ),
        *_each_while_healthy(settings, broker=_broker, queues=_queues),
    ]


def readiness(settings: Settings, *, accepting: bool = False) -> list[Finding]:
    """Check what a process needs, without side effects.

    With ``accepting``, also check that the intake is not paused.
    """
    return [
        *_each_while_healthy(
            settings, database=_database, schema=_schema, room=partial(_room, needed=accepting)
        ),
        *_each_while_healthy(settings, broker=_broker, queues=_queues_are_there),
    ]


def _distance() -> Finding:
    """Compare the native tree edit distance with that of the reference implementation."""
    # Imported here because the readiness of a process is checked without them.
    from apted import APTED
    from apted.helpers import Tree as Bracketed

    from detourage.html import Tree
    from detourage.template.distance import tree_edit_distance

    one, other = "{html{head{title}}{body{div{p}{p}}{ul}}}", "{html{body{div{p}{img}}{ul{li}}}}"
    expected = APTED(Bracketed.from_text(one), Bracketed.from_text(other)).compute_edit_distance()
    # The same trees as nodes in postorder, with the size of the tree below each.
    labels = ["title", "head", "p", "p", "div", "ul", "body", "html"]
    found = tree_edit_distance(
        Tree.from_postorder(labels, [1, 2, 1, 1, 3, 1, 5, 8]),
        Tree.from_postorder(["p", "img", "div", "li", *labels[-3:]], [1, 1, 3, 1, 2, 6, 7]),
    )
    detail = f"{found} edits between two small trees, {expected} according to apted"
    return Finding("tree edit distance", found == expected, detail)


def _variables() -> Finding:
    unknown = unknown_variables(os.environ)
    detail = f"unknown: {', '.join(unknown)}" if unknown else "all variables are known"
    return Finding("settings", not unknown, detail)


def _browser(settings: Settings) -> str:
    browser = browser_of(settings)
    if browser is not None:
        browser.render("<p>A page.</p>", "https://health.invalid/")
    return f"{settings.render_browser} renders pages"


def _object_store(settings: Settings) -> str:
    with _short_connection(settings) as database, database.transaction() as session:
        check_store(session, settings.pages)
    return f"{settings.pages} accepts pages"


def _checked(name: str, check: Callable[[Settings], str], settings: Settings) -> Finding:
    try:
        return Finding(name, True, check(settings))
    except Exception as error:  # noqa: BLE001 - any error is a result to report
        # Without its subject, which is in the check's name.
        origin = (error.__cause__ or error) if isinstance(error, ExpectedError) else error
        lines = str(getattr(origin, "orig", None) or origin).splitlines()
        return Finding(name, False, without_passwords(lines[0]) if lines else type(origin).__name__)


def _each_while_healthy(
    settings: Settings, **checks: Callable[[Settings], str]
) -> Iterator[Finding]:
    """Yield check results up to the first failure, as each check depends on the previous ones."""
    for name, check in checks.items():
        finding = _checked(name, check, settings)
        yield finding
        if not finding.healthy:
            return


def _short_connection(settings: Settings) -> Database:
    return Database(settings.require_database_url(), connect_seconds=schema.COMMAND_CONNECT_SECONDS)


def _database(settings: Settings) -> str:
    with _short_connection(settings) as database:
        database.ping()
    return "answers"


def _room(settings: Settings, *, needed: bool) -> str:
    with _short_connection(settings) as database, database.transaction() as session:
        is_full = progress.is_backlog_full(session, settings.pending_limit, repeated=REPEATED)
    if not is_full:
        return "the intake accepts pages"
    waits = f"the intake waits: {settings.pending_limit} or more pages or messages are in progress"
    if needed:
        raise RuntimeError(waits)
    return waits


def _schema(settings: Settings) -> str:
    with _short_connection(settings) as database:
        try:
            schema.check_current(database)
        except ExpectedError as error:
            raise RuntimeError(str(error).removeprefix("schema: ")) from error
    return "up to date"


def _broker(settings: Settings) -> str:
    with connected(settings):
        return "answers"


def _queues_are_there(settings: Settings) -> str:
    topology = topology_of(settings)
    with connected(settings) as connection:
        for queue in (*topology.work_queues, *topology.quarantines.values()):
            try:
                with connection.channel() as channel:
                    depth(channel, queue)
            except ChannelError as error:
                raise RuntimeError(f"{queue} is not declared yet") from error
    return "declared"


def _queues(settings: Settings) -> str:
    topology = topology_of(settings)
    with connected(settings) as connection:
        try:
            topology.declare(connection)
        except ChannelError as error:
            raise RuntimeError(f"declared with other arguments: {error}") from error
    return "declared"
