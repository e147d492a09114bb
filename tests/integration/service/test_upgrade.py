"""Upgrades of the schema while pages and messages are pending."""

import subprocess
import sys
import time
from pathlib import Path

from sqlalchemy import func, select, text

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
from tests.preloaded import PreloadedSupervisor
from tests.services import Services, temporary_database
from tests.versions import ADMITTED
from worker.messaging.broker import connect, messages_waiting, topology_of
from worker.messaging.task_names import CLUSTER
from worker.processes.heartbeat import Heartbeat
from worker.service.application import create_app
from worker.store.database import Database

OLDEST_RELEASED = "0012"
"""Schema version of release 0.1.0."""

BEHIND = "Error: schema: older than this version: run `detourage migrate`"


def test_pending_work_is_processed_after_an_upgrade(
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

            with PreloadedSupervisor() as refused:
                logs = {name: tmp_path / f"refused-{name}.log" for name in PROCESSES}
                for name, log in logs.items():
                    argv = process_command(name, tmp_path, pool=1)
                    refused.start(name, argv, log=log, env=environment)
                for name, log in logs.items():
                    status = refused.wait_for(name)
                    told = log.read_text()
                    assert (status, told.splitlines()[-1]) == (1, BEHIND), name
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


def test_outdated_processes_exit_with_one_line_after_a_migration(
    services: Services, migrated_url: str, tmp_path: Path
) -> None:
    with temporary_database(services, template=migrated_url) as url:
        settings = own_settings(services, url, tmp_path / "heartbeats")
        database = Database(url)
        with connect(settings) as connection:
            topology_of(settings).declare(connection)
        logs = {name: tmp_path / f"{name}.log" for name in ("intake", "relay", "worker")}
        try:
            with PreloadedSupervisor() as running:
                environment = process_environment(settings)
                for name, log in logs.items():
                    argv = process_command(name, tmp_path, pool=1)
                    running.start(name, argv, log=log, env=environment)
                deadline = time.monotonic() + 60
                while not all(Heartbeat(tmp_path / "heartbeats", name).is_alive() for name in logs):
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
                with database.transaction() as session:
                    session.execute(text(ADMITTED.format("9998", "9999")))
                Deployment(settings, tmp_path, processes=[]).publish([described(0)])
                create_app(settings).send_task(CLUSTER, kwargs={"site_id": 1})
                for name, log in logs.items():
                    running.wait_for(name)
                    # Below the reason, Celery prints a traceback for requeued messages.
                    told, _, _ = log.read_text().partition("Traceback")
                    assert "schema: the database" in told, name
                    assert "this process belongs to another version, and exits" in told, name
            # Unfinished messages have returned to their queues, where other processes can consume
            # them.
            topology = topology_of(settings)
            assert messages_waiting(settings, topology.pages) == 1
            assert messages_waiting(settings, topology.task_queue("cluster")) == 1
        finally:
            database.dispose()
            remove_queues(settings)
