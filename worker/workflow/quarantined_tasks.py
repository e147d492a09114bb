"""Tasks that are put directly into quarantine, from where an operator can send them."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from celery import current_app
from sqlalchemy.orm import Session

from worker.messaging.headers import quarantine_headers
from worker.outcomes import GivenUpReason
from worker.store import outbox


def offer_task(
    session: Session,
    task: str,
    arguments: Mapping[str, Any],
    *,
    quarantine: str,
    reason: GivenUpReason,
    detail: str,
) -> None:
    """Put a task into a quarantine queue, from where an operator can send it."""
    task_id = str(uuid4())
    sent = current_app.amqp.as_task_v2(task_id, task, (), dict(arguments))
    outbox.add_message(
        session,
        exchange="",
        routing_key=quarantine,
        body=json.dumps(sent.body).encode(),
        headers={**sent.headers, **quarantine_headers(reason, detail, datetime.now(UTC))},
        message_id=task_id,
    )
