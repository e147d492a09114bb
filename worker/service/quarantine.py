"""Browse, requeue and drop quarantined messages."""

import base64
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from kombu import Connection, Message, Producer
from kombu.transport.base import StdChannel
from sqlalchemy import TextClause
from sqlalchemy.orm import Session

from detourage.export.output_files import open_replacement
from detourage.inputs.message_validation import storable_text
from detourage.limits import MAX_DETAIL_CHARACTERS
from detourage.outcomes import UnusableReason
from detourage.packed_bytes import DamagedBytesError
from models.tables import OutboxEntry
from worker.messaging import headers
from worker.messaging.broker import broker_connection, depth, topology_of
from worker.messaging.transport import raw_body, withheld_bytes
from worker.outcomes import RefusedReason
from worker.settings import Settings
from worker.store import outbox, schema
from worker.store.progress import last_failures

RELAY = "relay"
"""Stage of messages that cannot be published, which are in the outbox rather than a queue."""

_EDGE_BYTES = 64 * 1024
"""Number of bytes searched for a URL at either end of a body, which may be huge or invalid JSON."""

_URL_MEMBER = re.compile(rb'"url"\s{0,9}:\s{0,9}("(?:[^"\\]|\\.){1,8192}")', re.DOTALL)
"""A JSON member such as ``"url": "https://…"``; the group is the value with its quotes."""

P = ParamSpec("P")
T = TypeVar("T")


class QuarantinedMessage(NamedTuple):
    """A message in quarantine, with its body as received."""

    stage: str
    reason: str
    detail: str
    message_id: str | None
    body: bytes
    failed_at: str | None = None  # RFC 3339
    traceback: str | None = None

    @property
    def url(self) -> str | None:
        """URL of the page, if it appears near the beginning or end of the body."""
        for part in (self.body[:_EDGE_BYTES], self.body[-_EDGE_BYTES:]):
            found = _URL_MEMBER.search(part)
            if found:
                with suppress(ValueError):
                    return str(json.loads(found[1].decode("utf-8", "replace"), strict=False))
        return None

    def age_seconds(self, now: datetime) -> float | None:
        """Return the time since the failure, or None if the header holds no valid time."""
        try:
            failed_at = datetime.fromisoformat(self.failed_at or "")
        except ValueError:
            return None
        if failed_at.tzinfo is None:
            failed_at = failed_at.replace(tzinfo=UTC)
        return max(0.0, (now - failed_at).total_seconds())

    def to_json(self) -> dict[str, str | None]:
        """Return the message as JSON values; a body that is not UTF-8 is in ``body_base64``."""
        values = self._asdict()
        del values["body"]
        try:
            return {**values, "body": self.body.decode("utf-8")}
        except UnicodeDecodeError:
            return {**values, "body_base64": base64.b64encode(self.body).decode("ascii")}


def browse(settings: Settings, stage: str) -> Iterator[QuarantinedMessage]:
    """Yield the messages of a stage's quarantine without removing them."""
    if stage == RELAY:
        yield from map(_quarantined_entry, _run_in_database(settings, outbox.refused_entries))
        return
    with _messages_in(settings, stage) as (_, messages):
        quarantined = [_quarantined_message(stage, message) for message in messages]
    ids = [each.message_id for each in quarantined if each.message_id]
    failures = _run_in_database(settings, last_failures, ids) if ids else {}
    for each in quarantined:
        if failure := failures.get(each.message_id or ""):
            detail, failed_at = f"{each.detail}: {failure.error}", failure.failed_at.isoformat()
            yield each._replace(detail=detail, failed_at=failed_at, traceback=failure.traceback)
        else:
            yield each


def requeue(settings: Settings, stage: str, message_id: str | None = None) -> int:
    """Move messages back to their queue, except for oversized ones, which would fail again."""
    if stage == RELAY:
        return _run_in_database(settings, _count_changed, outbox.SQL.retry_refused, message_id)
    moved = 0
    with _messages_in(settings, stage) as (connection, messages):
        producer = Producer(connection.channel())
        for message in messages:
            is_selected = message_id in (None, _quarantined_message(stage, message).message_id)
            if is_selected and not withheld_bytes(message):
                _republish(producer, message, topology_of(settings).sources[stage])
                message.ack()
                moved += 1
    return moved


def drop(settings: Settings, stage: str, message_id: str | None = None) -> int:
    """Permanently delete a stage's messages, or one of them, and return their number."""
    if stage == RELAY:
        return _run_in_database(settings, _count_changed, outbox.SQL.drop_refused, message_id)
    dropped = 0
    with _messages_in(settings, stage) as (_, messages):
        for message in messages:
            if message_id in (None, _quarantined_message(stage, message).message_id):
                message.ack()
                dropped += 1
    return dropped


def _count_changed(session: Session, statement: TextClause, message_id: str | None) -> int:
    return len(session.execute(statement, {"message_id": message_id}).all())


def _quarantined_entry(entry: OutboxEntry) -> QuarantinedMessage:
    reason = RefusedReason.REFUSED_BY_BROKER
    body = entry.body or json.dumps(entry.arguments).encode()
    try:
        body = outbox.unpacked_body(body)
    except DamagedBytesError:
        reason = RefusedReason.DAMAGED
    return QuarantinedMessage(
        stage=RELAY,
        reason=reason,
        detail=entry.refusal or "",
        message_id=entry.message_id,
        body=body,
        failed_at=entry.refused_at.isoformat() if entry.refused_at else None,
    )


def _run_in_database(
    settings: Settings,
    use: Callable[Concatenate[Session, P], T],
    *args: P.args,
    **options: P.kwargs,
) -> T:
    with schema.current_database(settings.require_database_url()) as database:
        return database.run(use, *args, **options)


@contextmanager
def _messages_in(settings: Settings, stage: str) -> Iterator[tuple[Connection, Iterator[Message]]]:
    """Yield a connection and the messages now in a quarantine; unacknowledged ones remain in it."""
    topology = topology_of(settings)
    queue = topology.quarantines[stage]
    taken: list[Message] = []

    def take(channel: StdChannel) -> Iterator[Message]:
        for _ in range(depth(channel, queue)):
            got = channel.basic_get(queue, no_ack=False)
            if got is None:
                return
            taken.append(got if isinstance(got, Message) else channel.message_to_python(got))
            yield taken[-1]

    with broker_connection(settings) as connection:
        topology.declare(connection)
        with connection.channel() as channel:
            try:
                yield connection, take(channel)
            finally:
                # RabbitMQ requeues messages when the channel closes; the embedded broker does so
                # hours later.
                for message in taken:
                    if not message.acknowledged:
                        message.requeue()


def _republish(producer: Producer, message: Message, queue: str) -> None:
    """Publish a quarantined message as it was, without the headers that explain the quarantine."""
    names = ("message_id", "correlation_id", "reply_to", "type", "priority")
    properties = {name: message.properties[name] for name in names if name in message.properties}
    producer.publish(
        message.body,
        exchange="",
        routing_key=queue,
        headers={
            name: value
            for name, value in message.headers.items()
            if name not in headers.QUARANTINE_HEADERS and not str(name).startswith("x-first-death")
        },
        content_type=message.content_type,
        content_encoding=message.content_encoding,
        delivery_mode=2,  # persistent
        **properties,
    )


def _quarantined_message(stage: str, message: Message) -> QuarantinedMessage:
    values: dict[str, Any] = message.headers or {}
    oversized = withheld_bytes(message)
    # Headers come from untrusted publishers, so each value may have any type.
    deaths = values.get(headers.DEATHS)
    latest_death = deaths[0] if isinstance(deaths, list) and deaths else None
    death_reason = latest_death.get("reason") if isinstance(latest_death, dict) else None
    identity = message.properties.get("message_id") or message.properties.get("correlation_id")
    reason = _header_text(values.get(headers.REASON) or death_reason or "unknown")
    detail = _header_text(values.get(headers.DETAIL) or values.get("task") or "")
    failed_at = values.get(headers.FAILED_AT)
    if not failed_at and isinstance(latest_death, dict):
        died_at = latest_death.get("time")
        failed_at = died_at.isoformat() if isinstance(died_at, datetime) else None
    if oversized:
        reason, detail = UnusableReason.OVERSIZED, f"the message has {oversized} bytes"
    return QuarantinedMessage(
        stage=stage,
        reason=reason,
        detail=detail,
        message_id=_header_text(identity) if identity else None,
        failed_at=_header_text(failed_at) if failed_at else None,
        body=raw_body(message),
    )


def _header_text(value: object) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return storable_text(text)[:MAX_DETAIL_CHARACTERS]


def write_quarantined(settings: Settings, path: Path) -> None:
    """Write all quarantined messages as JSON lines."""
    with open_replacement(path) as stream:
        for stage in (*topology_of(settings).quarantines, RELAY):
            for message in browse(settings, stage):
                stream.write(json.dumps(message.to_json(), ensure_ascii=False) + "\n")
