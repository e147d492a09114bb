"""Put messages into quarantine, from where an operator can requeue them."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from kombu import Message
from sqlalchemy.orm import Session

from detourage.inputs.message_validation import UnusableMessageError, storable_text
from worker.messaging.headers import quarantine_headers
from worker.messaging.transport import raw_body
from worker.outcomes import AbandonedReason
from worker.store import outbox


def message_id_of(message: Message) -> str | None:
    """Return the message ID set by the publisher."""
    message_id = message.properties.get("message_id")
    return storable_text(message_id) if message_id is not None else None


def quarantine_message(
    session: Session, message: Message, queue: str, error: UnusableMessageError
) -> None:
    """Put a received message into a quarantine queue; the caller acknowledges it."""
    body, message_id = raw_body(message), message_id_of(message)
    headers = quarantine_headers(error.reason, error.detail, datetime.now(UTC))
    outbox.add_message(
        session, exchange="", routing_key=queue, body=body, headers=headers, message_id=message_id
    )


def quarantine_task(
    session: Session,
    task: str,
    arguments: Mapping[str, Any],
    *,
    queue: str,
    reason: AbandonedReason,
    detail: str,
) -> None:
    """Put a task into a quarantine queue."""
    task_id = str(uuid4())
    # Loaded on demand: the intake quarantines messages without Celery.
    from celery import current_app

    sent = current_app.amqp.as_task_v2(task_id, task, (), dict(arguments))
    body = json.dumps(sent.body).encode()
    headers = {**sent.headers, **quarantine_headers(reason, detail, datetime.now(UTC))}
    outbox.add_message(
        session, exchange="", routing_key=queue, body=body, headers=headers, message_id=task_id
    )
