"""Each process logs its version and settings at the start, then summaries of its work."""

import re
from collections import Counter
from importlib.metadata import version
from typing import Any

import pytest
from sqlalchemy import func, select

from models.tables import OutboxEntry
from tests.deployment import PROCESSES, Deployment
from tests.integration.conftest import RunAlone
from tests.integration.service.crawl import page_with_metadata
from worker.messaging import task_names
from worker.store import outbox


@pytest.mark.parametrize("process", PROCESSES)
def test_a_process_first_logs_version_and_settings(deployment: Deployment, process: str) -> None:
    name = f"{process} started"
    # A process may already work on a task before it has logged that it started.
    deployment.wait_until(lambda: name in {line["event"] for line in deployment.logged(process)})
    (start_line,) = [line for line in deployment.logged(process) if line["event"] == name]
    assert start_line["version"] == version("detourage")
    logged = start_line["settings"]
    assert {*logged} == {*type(deployment.settings).model_fields}
    assert logged["settle_seconds"] == deployment.settings.settle_seconds
    assert logged["broker_url"].replace("***", "guest") == deployment.settings.require_broker_url()
    log = deployment.log_file(process).read_text()
    assert not any(f":{secret}@" in log for secret in deployment.settings.secrets)


def summaries(deployment: Deployment, process: str) -> list[dict[str, Any]]:
    return [line for line in deployment.logged(process) if line["event"] == f"{process} summary"]


def total_values(summaries: list[dict[str, Any]], *keys: str) -> dict[str, Any]:
    """Return the sums of the given keys over all summaries."""
    sums: dict[str, Any] = {}
    for key in keys:
        for each in summaries:
            value = each.get(key, {})
            if isinstance(value, dict):
                sums.setdefault(key, Counter()).update(value)
            else:
                sums[key] = sums.get(key, 0) + value
    return sums


def test_the_intake_logs_the_number_of_messages_and_their_results(run_alone: RunAlone) -> None:
    good = [page_with_metadata(seed) for seed in range(5)]
    with run_alone("intake") as deployment:
        deployment.publish([*good, b"{broken", good[0], b"[]", b"[]"])
        deployment.wait_for_receipts(9)
        expected = {
            "taken": 9,
            "stored": {"accepted": 5, "duplicate": 1},
            "quarantined": {"not-json": 1, "invalid-message": 2},
        }
        deployment.wait_until(
            lambda: total_values(summaries(deployment, "intake"), *expected) == expected
        )
        summary_count = len(summaries(deployment, "intake"))
        deployment.publish(good[:1])
        deployment.wait_for_receipts(10)
        deployment.wait_until(lambda: len(summaries(deployment, "intake")) > summary_count)
        # Idle intervals are not logged.
        assert all(each["taken"] for each in summaries(deployment, "intake"))
        assert not any("message_id" in each for each in summaries(deployment, "intake"))


def test_the_relay_logs_the_number_of_published_messages_per_lane(run_alone: RunAlone) -> None:
    with run_alone("relay") as deployment:
        topology = deployment.topology
        with deployment.database.transaction() as session:
            outbox.add_tasks(
                session, task_names.PARSE, ({"page_id": each} for each in range(3)), site_id=1
            )
            for exchange, key in (
                (topology.articles_exchange.name, "und.a.example"),
                ("", topology.quarantines["intake"]),
            ):
                outbox.add_message(session, exchange=exchange, routing_key=key, body=b"1")
        pending = select(func.count()).select_from(OutboxEntry)
        deployment.wait_until(lambda: deployment.count(pending) == 0)
        expected = {task_names.PARSE: 3, topology.articles_exchange.name: 1, "quarantine": 1}
        deployment.wait_until(
            lambda: (
                total_values(summaries(deployment, "relay"), "published") == {"published": expected}
            )
        )
        assert not any("outbox_id" in each for each in summaries(deployment, "relay"))


def test_the_text_format_has_the_same_content_on_one_line(run_alone: RunAlone) -> None:
    with run_alone("intake", log_format="text") as deployment:
        log = deployment.log_file("intake")
        deployment.publish([page_with_metadata(7)])
        deployment.wait_until(lambda: "intake summary" in log.read_text())
        deployment.wait_until(lambda: "accepted" in log.read_text())
        lines = log.read_text().splitlines()
        (start_line,) = [line for line in lines if "intake started" in line]
        assert f"version={version('detourage')}" in start_line
        assert "'log_format': 'text'" in start_line
        assert any(
            re.search(r"intake summary .*stored=\{'accepted': 1\} taken=1", line) for line in lines
        )
