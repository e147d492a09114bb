"""Feedback with the embedded broker, which has no quorum queues and no dead-lettering."""

import json
from uuid import UUID

from sqlalchemy import select

from models.tables import OutboxEntry
from worker.local.embedded import embedded_services
from worker.messaging.broker import connect, messages_waiting
from worker.messaging.headers import REASON
from worker.settings import Settings
from worker.store.migrations import migrate
from worker.tasks.feedback import store_waiting
from worker.workflow.process import ProcessState


def test_feedback_is_taken_from_the_embedded_broker() -> None:
    with embedded_services() as services:
        settings = Settings.model_validate(
            {
                "database_url": services.database_url,
                "broker_url": services.broker_url,
                "broker_options": services.broker_transport_options,
            }
        )
        state = ProcessState(settings)
        migrate(state.database)
        queue = state.topology.feedback
        bodies = [
            {"version": 1, "article": str(UUID(int=1)), "entities": 1},
            {"version": 1, "article": "no id", "entities": 1},
        ]
        with connect(settings) as connection:
            state.topology.declare(connection)
            for body in bodies:
                connection.Producer().publish(json.dumps(body), exchange="", routing_key=queue)
        store_waiting(state)
        assert messages_waiting(settings, queue) == 0
        with state.database.transaction() as session:
            (entry,) = session.scalars(select(OutboxEntry)).all()
            assert entry.routing_key == state.topology.quarantines["feedback"]
            assert (entry.headers or {})[REASON] == "invalid-message"
        state.database.dispose()
