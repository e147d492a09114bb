"""Messages that could not be handled, and their way back."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from kombu import Connection, Message, Producer

from worker.messaging import headers
from worker.messaging.broker import connect, depth, topology_of
from worker.settings import Settings
from worker.store.database import Database
from worker.store.failures import LastFailure, last_failures


@dataclass(frozen=True)
class QuarantinedMessage:
    """A message in quarantine.

    Parameters
    ----------
    stage
        ``intake`` or the kind of task.
    reason, detail
        Code and words; for a dead letter the broker's reason.
    message_id
        The AMQP id, if it has one.
    body
        As it came.
    failed_at
        When it failed, RFC 3339, where that is known.
    traceback
        Of a task that raised an exception.
    """

    stage: str
    reason: str
    detail: str
    message_id: str | None
    body: bytes
    failed_at: str | None = None
    traceback: str | None = None

    def to_json(self) -> dict[str, str | None]:
        """Return JSON values; a body that is no UTF-8 goes into ``body_base64``."""
        values: dict[str, str | None] = {
            "stage": self.stage,
            "reason": self.reason,
            "detail": self.detail,
            "message_id": self.message_id,
            "failed_at": self.failed_at,
            "traceback": self.traceback,
        }
        try:
            return {**values, "body": self.body.decode("utf-8")}
        except UnicodeDecodeError:
            return {**values, "body_base64": base64.b64encode(self.body).decode("ascii")}


def browse(settings: Settings, stage: str) -> Iterator[QuarantinedMessage]:
    """Yield the messages in the quarantine of a stage; they stay there."""
    with _taking(settings) as (connection, queues):
        found = [_read(stage, message) for message in _take_all(connection, queues[stage])]
    # No text of PostgreSQL holds a NUL.
    task_ids = [each.message_id or "" for each in found]
    known = _failures(settings, [each for each in task_ids if each and "\x00" not in each])
    for each in found:
        failure = known.get(each.message_id or "")
        if failure is None:
            yield each
        else:
            yield replace(
                each,
                detail=f"{each.detail}: {failure.error}",
                failed_at=failure.failed_at.isoformat(),
                traceback=failure.traceback,
            )


def requeue(settings: Settings, stage: str, message_id: str | None = None) -> int:
    """Send messages back to the queue they failed on, and return how many.

    Parameters
    ----------
    settings
        Which broker.
    stage
        Whose quarantine.
    message_id
        Only the message of this id; all where absent.
    """
    topology = topology_of(settings)
    work_queue = topology.pages if stage == "intake" else topology.task_queue(stage)
    moved = 0
    with _taking(settings) as (connection, queues):
        producer = Producer(connection.channel())
        for message in _take_all(connection, queues[stage]):
            if message_id in (None, _read(stage, message).message_id):
                _republish(producer, message, work_queue)
                message.ack()
                moved += 1
    return moved


def drop(settings: Settings, stage: str, message_id: str | None = None) -> int:
    """Delete messages from the quarantine of a stage for good, and return how many."""
    dropped = 0
    with _taking(settings) as (connection, queues):
        for message in _take_all(connection, queues[stage]):
            if message_id in (None, _read(stage, message).message_id):
                message.ack()
                dropped += 1
    return dropped


def _failures(settings: Settings, task_ids: list[str]) -> dict[str, LastFailure]:
    if not task_ids:
        return {}
    database = Database(settings.require_database_url())
    try:
        return database.run(lambda session: last_failures(session, task_ids))
    finally:
        database.dispose()


@contextmanager
def _taking(settings: Settings) -> Iterator[tuple[Connection, dict[str, str]]]:
    topology = topology_of(settings)
    with connect(settings) as connection:
        topology.declare(connection)
        yield connection, topology.quarantines


def _take_all(connection: Connection, queue: str) -> Iterator[Message]:
    """Yield the messages that are there now; those not acknowledged go back at the end.

    Not more than are there now: one that is sent back may return while we look.
    """
    with connection.channel() as channel:
        for _ in range(depth(channel, queue)):
            message = channel.basic_get(queue, no_ack=False)
            if message is None:
                return
            yield message if isinstance(message, Message) else channel.message_to_python(message)


def _republish(producer: Producer, message: Message, queue: str) -> None:
    properties = {
        name: value
        for name, value in message.properties.items()
        if name in ("message_id", "correlation_id", "reply_to", "type", "priority")
    }
    producer.publish(
        message.body,
        exchange="",
        routing_key=queue,
        headers=headers.without_quarantine(message.headers),
        content_type=message.content_type,
        content_encoding=message.content_encoding,
        delivery_mode=2,
        **properties,
    )


def _read(stage: str, message: Message) -> QuarantinedMessage:
    found: dict[str, Any] = message.headers or {}
    deaths = found.get(headers.DEATHS) or [{}]
    body = message.body
    return QuarantinedMessage(
        stage=stage,
        reason=str(found.get(headers.REASON) or deaths[0].get("reason") or "unknown"),
        detail=str(found.get(headers.DETAIL) or found.get("task") or ""),
        message_id=message.properties.get("message_id") or message.properties.get("correlation_id"),
        failed_at=found.get(headers.FAILED_AT),
        body=body if isinstance(body, bytes) else str(body).encode("utf-8", "surrogatepass"),
    )


def write_quarantined(settings: Settings, path: str) -> int:
    """Write all quarantined messages as JSON lines, and return how many there were."""
    written = 0
    with open(path, "w", encoding="utf-8") as stream:  # noqa: PTH123
        for stage in topology_of(settings).quarantines:
            for message in browse(settings, stage):
                stream.write(json.dumps(message.to_json(), ensure_ascii=False) + "\n")
                written += 1
    return written
