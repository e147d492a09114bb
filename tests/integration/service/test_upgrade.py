"""From the schema of an older version to this one, and back, while pages and messages wait."""

import subprocess
import sys
from pathlib import Path

from sqlalchemy import func, select

from models.tables import OutboxEntry, StoredPage
from tests.deployment import (
    PROCESSES,
    Deployment,
    own_settings,
    process_command,
    process_environment,
    remove_queues,
)
from tests.integration.service.crawl import described
from tests.services import Services, temporary_database
from worker.messaging.broker import messages_waiting

OLDEST_RELEASED = "0012"
"""Schema of version 0.1.0."""

BEHIND = "Error: schema: older than this version: run `detourage migrate`"


def test_what_waits_in_queues_and_tables_is_dealt_with_after_an_upgrade(
    services: Services, migrated_url: str, tmp_path: Path
) -> None:
    with temporary_database(services, template=migrated_url) as url:
        settings = own_settings(services, url, tmp_path / "heartbeats")
        environment = process_environment(settings)
        migrating = [sys.executable, "-m", "worker.cli", "migrate"]
        try:
            with Deployment(settings, tmp_path, processes=["intake"]) as deployment:
                deployment.publish(described(seed) for seed in range(3))
                deployment.wait_for_receipts(3)
                deployment.publish(described(0) for _ in range(2))
                deployment.wait_for_receipts(5)
            subprocess.run([*migrating, "--to", OLDEST_RELEASED], env=environment, check=True)
            deployment.publish(described(seed) for seed in range(3, 6))

            refused = {
                name: subprocess.Popen(
                    process_command(name, tmp_path, pool=1),
                    env=environment,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                for name in PROCESSES
            }
            for name, process in refused.items():
                _, told = process.communicate(timeout=120)
                assert (process.returncode, told.splitlines()[-1]) == (1, BEHIND), name
                assert "Traceback" not in told
            assert messages_waiting(settings, deployment.topology.pages) == 3

            subprocess.run(migrating, env=environment, check=True)
            with Deployment(settings, tmp_path) as deployment:
                waiting = select(func.count()).select_from(OutboxEntry)
                deployment.wait_for_receipts(8)
                deployment.wait_for_outcomes()
                assert deployment.count(waiting) == 0
                outcomes = select(StoredPage.outcome, func.count()).group_by(StoredPage.outcome)
                with deployment.database.transaction() as session:
                    assert session.execute(outcomes).all() == [("article", 6)]
                pages = {each["url"] for each in deployment.take_articles()}
                assert len(pages) == 6
        finally:
            remove_queues(settings)
