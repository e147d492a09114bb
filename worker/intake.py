"""The intake: page messages from the queue into the store.

Messages are plain JSON, not Celery's protocol, and are read as raw bytes: a
decoder inside the consumer would acknowledge, and so lose, what it cannot read.
Each message is acknowledged only when its page, or its way into quarantine, is
committed.
"""

import json
import logging
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from types import FrameType
from typing import Any
from uuid import uuid4

from kombu import Connection, Message
from kombu.mixins import ConsumerMixin
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from models.messages import MAX_HTML_BYTES, PageMessage
from worker import logs
from worker.broker import connect, topology_of
from worker.heartbeat import Heartbeat
from worker.pages import PageError, site_key
from worker.settings import Settings
from worker.store import backlog, durations, outbox, pages
from worker.store.database import Database, is_connection_lost
from worker.store.pages import FetchedPage
from worker.tasks.parsing import ParsedPage, parse_or_reject, store_page
from worker.topology import Topology

logger = logging.getLogger(__name__)

MAX_REASON_CHARACTERS = 64
MAX_DETAIL_CHARACTERS = 2000
"""Lengths of what is told of an unusable message: both travel in headers."""

INTAKE = "intake"
"""Kind of work that a message is."""

GATE_SECONDS = 1.0
GATE_MESSAGES = 100
"""Time and number of messages after which the intake looks again at what waits behind it; it
takes so many messages too many at most."""

DATABASE_PAUSE_SECONDS = 1.0
"""Pause between two looks at a database that is away."""

MAX_BODY_BYTES = 6 * MAX_HTML_BYTES + 1024 * 1024
"""Largest body that can hold allowed HTML: JSON may write a byte in six characters."""


@dataclass(frozen=True)
class UnusableMessageError(Exception):
    """A message that can never work.

    Parameters
    ----------
    reason
        Code to count by, in kebab case.
    detail
        What is wrong, for a person.
    """

    reason: str
    detail: str


def read_message(body: bytes) -> PageMessage:
    """Read a page message.

    Raises
    ------
    UnusableMessageError
        If the body is not one; the reason is ``oversized``, ``not-json``,
        ``no-url``, ``unsupported-url``, ``unsupported-version``, ``no-html``
        or ``invalid-message``.
    """
    if len(body) > MAX_BODY_BYTES:
        raise UnusableMessageError("oversized", f"the message holds {len(body)} bytes")
    try:
        return PageMessage.model_validate_json(body)
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False, include_context=False)
    raise _told_by_source(body) or UnusableMessageError(
        _reason(problems), "; ".join(map(_describe, problems))[:MAX_DETAIL_CHARACTERS]
    )


def _told_by_source(body: bytes) -> UnusableMessageError | None:
    """Return the reason that `worker.sources` gave in place of a page too large to send."""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        told = json.loads(body)["unusable"]
        return UnusableMessageError(
            _writable(told["reason"])[:MAX_REASON_CHARACTERS],
            _writable(told["detail"])[:MAX_DETAIL_CHARACTERS],
        )
    return None


def _writable(value: object) -> str:
    """Return text that the database takes: without NUL and half characters."""
    return str(value).replace("\x00", "").encode("utf-8", "replace").decode()


_REASON_BY_PLACE = {"url": "unsupported-url", "version": "unsupported-version"}


def _reason(problems: list[Any]) -> str:
    first = problems[0]
    if first["type"] == "json_invalid":
        return "not-json"
    places = {(problem["loc"] or ("",))[0]: problem["type"] for problem in problems}
    if places.get("url") == "missing":
        return "no-url"
    for place, reason in _REASON_BY_PLACE.items():
        if place in places:
            return reason
    if "more than the" in first["msg"]:
        return "oversized"
    if "exactly one of html" in first["msg"]:
        return "no-html"
    return "invalid-message"


def _describe(problem: Any) -> str:
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else str(problem["msg"])


def fetched_page(message: PageMessage) -> FetchedPage:
    """Return what the store keeps of a message."""
    return FetchedPage(
        site=site_key(message.site, message.url),
        url=message.url,
        content=message.content,
        crawler_id=message.id,
        content_type=message.content_type,
        fetched_at=message.fetched_at,
        extra=json.dumps(message.model_extra or {}, ensure_ascii=True, sort_keys=True),
    )


class Intake(ConsumerMixin):
    """The consumer of page messages.

    Parameters
    ----------
    settings
        Where from and where to.
    """

    def __init__(self, settings: Settings) -> None:
        self.connection: Connection = connect(settings)
        self._settings = settings
        self._topology: Topology = topology_of(settings)
        self._database = Database(settings.require_database_url())
        self._heartbeat = Heartbeat(settings.heartbeat_directory, "intake")
        self._consumer: Any = None
        self._taken = 0
        self._looked_at = 0.0

    def run_until_signalled(self) -> None:
        """Consume until SIGTERM or SIGINT; the message in hand is finished first."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._request_stop)
        self.run()
        self._database.dispose()

    def _request_stop(self, _number: int, _frame: FrameType | None) -> None:
        self.should_stop = True

    def on_connection_revived(self) -> None:
        """Declare the queues, anew after each reconnection."""
        with self.connection.clone() as connection:
            self._topology.declare(connection)

    def get_consumers(self, consumer_class: Any, _channel: Any) -> list[Any]:
        """Return the one consumer, with a bounded prefetch."""
        consumer = consumer_class(
            queues=[self._topology.pages_queue()], on_message=self.on_message, auto_declare=False
        )
        consumer.qos(prefetch_count=self._settings.intake_prefetch)
        self._topology.declare(self.connection)
        self._consumer = consumer
        return [consumer]

    def on_iteration(self) -> None:
        """Beat, and take messages only while the stages behind have room for their pages."""
        self._heartbeat.beat()
        now = time.monotonic()
        if self._taken >= GATE_MESSAGES or now - self._looked_at >= GATE_SECONDS:
            self._taken, self._looked_at = 0, now
            self._open_or_close()

    def _open_or_close(self) -> None:
        limit = self._settings.pending_limit
        try:
            with self._database.transaction() as session:
                is_full = backlog.is_full(session, limit)
        except DBAPIError as error:
            if not is_connection_lost(error):
                raise
            return
        # Cancelled and not held back: the broker takes a consumer for dead that does not
        # acknowledge for long, and counts a message that comes back as a failed delivery.
        is_open = bool(self._consumer.consuming_from(self._topology.pages))
        if is_full and is_open:
            logger.warning("%d pages or messages wait: so does the intake", limit)
            self._consumer.cancel()
        elif not is_full and not is_open:
            logger.info("the intake goes on")
            self._consumer.consume()

    def on_message(self, message: Message) -> None:
        """Store one message and acknowledge it.

        While the database is away the message is kept and tried again: sent
        back, it would come again at once and use up its deliveries. A message
        that a defect keeps from being stored goes back to the queue, which
        bounds how often that is tried and then moves it to quarantine.
        """
        self._taken += 1
        with durations.timed(self._database, INTAKE):
            self._deal_with(message)
        logs.unbind_all()

    def _deal_with(self, message: Message) -> None:
        body = message.body
        raw = body if isinstance(body, bytes) else str(body).encode("utf-8", "surrogatepass")
        message_id = message.properties.get("message_id")
        logs.bind(message_id=message_id)
        try:
            write = self._prepare(raw, message_id if isinstance(message_id, str) else None)
            while not self._try_to_write(write):
                self._wait_for_database()
                if self.should_stop:
                    return
        except Exception:
            logger.exception("message could not be stored, it goes back to the queue")
            message.requeue()
            return
        message.ack()

    def _prepare(self, raw: bytes, message_id: str | None) -> Callable[[Session], None]:
        """Do all that needs no database, and return what writes the result."""
        try:
            fetched = fetched_page(read_message(raw))
        except UnusableMessageError as error:
            logger.warning("unusable message quarantined: %s (%s)", error.reason, error.detail)
            return partial(self._quarantine, raw=raw, message_id=message_id, error=error)
        logs.bind(site=fetched.site, page=fetched.url)
        parsed = parse_or_reject(fetched.content, fetched.url, fetched.content_type)
        return partial(_store, fetched=fetched, parsed=parsed, message_id=message_id)

    def _try_to_write(self, write: Callable[[Session], None]) -> bool:
        try:
            with self._database.transaction() as session:
                write(session)
        except DBAPIError as error:
            if not is_connection_lost(error):
                raise
            return False
        return True

    def _wait_for_database(self) -> None:
        logger.warning("the database does not answer, the intake waits")
        time.sleep(DATABASE_PAUSE_SECONDS)
        self._heartbeat.beat()
        # The broker would take a consumer that neither reads nor writes for dead.
        self.connection.heartbeat_check()

    def _quarantine(
        self, session: Session, raw: bytes, message_id: str | None, error: UnusableMessageError
    ) -> None:
        pages.add_receipt(session, message_id=message_id, result="quarantined", reason=error.reason)
        outbox.add_message(
            session,
            exchange="",
            routing_key=self._topology.quarantines["intake"],
            body=raw,
            headers={
                "x-reason": error.reason,
                "x-detail": error.detail,
                "x-failed-at": datetime.now(UTC).isoformat(),
            },
            message_id=message_id or str(uuid4()),
        )


def _store(
    session: Session, fetched: FetchedPage, parsed: ParsedPage | PageError, message_id: str | None
) -> None:
    page, result = store_page(session, fetched, parsed)
    logs.bind(page_id=page.id)
    logger.debug("page %s", result)
    pages.add_receipt(session, message_id=message_id, result=result, page_id=page.id)
