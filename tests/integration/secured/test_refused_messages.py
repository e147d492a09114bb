"""Messages that exceed the broker's size limit do not block other messages."""

import secrets
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import func, select

from detourage.limits import MAX_MESSAGE_BYTES
from models.tables import OutboxEntry
from tests.deployment import Deployment
from tests.integration.secured.servers import SecuredServers
from worker.messaging.broker import messages_waiting
from worker.service.quarantine import browse, drop, requeue
from worker.settings import Settings
from worker.store import outbox


@pytest.fixture
def small_broker_settings(settings: Settings, servers: SecuredServers, tmp_path: Path) -> Settings:
    """Settings of a deployment whose broker refuses large messages."""
    return settings.model_copy(
        update={
            "broker_url": SecretStr(servers.administrator_url),
            "queue_prefix": f"{secrets.token_hex(4)}.",
            "heartbeat_directory": tmp_path / "heartbeats",
        }
    )


def test_a_refused_message_is_quarantined_and_others_are_published_once(
    small_broker_settings: Settings, tmp_path: Path
) -> None:
    with Deployment(small_broker_settings, tmp_path, processes=["relay"]) as deployment:
        exchange = deployment.topology.articles_exchange.name
        sizes = [10, MAX_MESSAGE_BYTES + 1, 20, MAX_MESSAGE_BYTES + 2, 30]
        with deployment.database.transaction() as session:
            for place, size in enumerate(sizes):
                outbox.add_message(
                    session,
                    exchange=exchange,
                    routing_key="und.a",
                    body=bytes(size),
                    message_id=f"m{place}",
                )
        waiting = select(func.count()).where(OutboxEntry.lane.is_not(None))
        deployment.wait_until(lambda: deployment.count(waiting) == 0)
        assert messages_waiting(small_broker_settings, deployment.topology.articles_queue) == 3

        deployment.wait_until(
            lambda: sum(each.get("refused", 0) for each in deployment.logged("relay")) == 2
        )

        refused = list(browse(small_broker_settings, "relay"))
        assert [each.message_id for each in refused] == ["m1", "m3"]
        assert all("size" in each.detail for each in refused)
        assert requeue(small_broker_settings, "relay", "m1") == 1
        refused_again = select(func.count()).where(OutboxEntry.refused_at.is_not(None))
        deployment.wait_until(lambda: deployment.count(refused_again) == 2)
        assert drop(small_broker_settings, "relay") == 2
        assert list(browse(small_broker_settings, "relay")) == []
        deployment.check()
