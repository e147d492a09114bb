"""Metrics of a running deployment."""

import os
import re
import signal
import sys
import urllib.error
import urllib.request
from importlib.metadata import version
from pathlib import Path

import pytest
from sqlalchemy import text

from detourage.versions import EXTRACTION_VERSION
from tests.deployment import Deployment, process_environment
from tests.integration.service.crawl import UNUSABLE
from tests.preloaded import PreloadedSupervisor
from tests.services import unused_ports

MONITORING = Path(__file__).parents[4] / "monitoring"

MIN_TIMED_WORK = {"intake": len(UNUSABLE), "detourage.extract": 6}
"""Minimum number of timed work items, by kind, once the articles have been sent."""

METRIC_USERS = (MONITORING / "grafana/detourage.json", MONITORING / "alerts.yml")
"""The dashboard and the alerts, which may refer only to metrics that the service exports."""


@pytest.mark.usefixtures("articles")
def test_metrics_are_served_until_sigterm(deployment: Deployment, tmp_path: Path) -> None:
    (port,) = unused_ports(1)
    command = [sys.executable, "-m", "worker.cli", "status", "--prometheus", "--port", str(port)]
    environment = process_environment(deployment.settings)
    with PreloadedSupervisor() as supervisor:
        pid = supervisor.start("metrics", command, log=tmp_path / "log", env=environment)
        found = ""

        def has_all_metrics() -> bool:
            nonlocal found
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as response:
                    found = response.read().decode()
            except urllib.error.URLError:
                return False
            # Processes write their durations to the database only every few seconds.
            counted = dict(re.findall(r'duration_seconds_count{work="(.*)"} (.*)', found))
            return all(
                float(counted.get(work, 0)) >= number for work, number in MIN_TIMED_WORK.items()
            )

        deployment.wait_until(has_all_metrics)
        os.kill(pid, signal.SIGTERM)
        assert supervisor.wait_for("metrics") == 0
    assert 'detourage_pages{outcome="article"}' in found
    with deployment.database.transaction() as session:
        schema = session.scalar(text("SELECT version_num FROM alembic_version"))
    (build_labels,) = re.findall(r"^detourage_build_info\{(.*)\} 1\.0$", found, re.MULTILINE)
    assert dict(re.findall(r'(\w+)="([^"]*)"', build_labels)) == {
        "version": version("detourage"),
        "schema_version": schema,
        "extraction_version": EXTRACTION_VERSION,
    }
    assert "detourage_queue_messages{queue=" in found
    exported = set(re.findall(r"^(?:# TYPE )?(detourage_[a-z_]+)", found, re.MULTILINE))
    for file in METRIC_USERS:
        used = set(re.findall(r"detourage_[a-z_]+", file.read_text()))
        assert used
        assert used <= exported
    for queue, consumers in {"crawler.pages": 1, "detourage.extract": 1}.items():
        name = f"{deployment.settings.queue_prefix}{queue}"
        assert f'detourage_queue_consumers{{queue="{name}"}} {consumers}.0' in found
    assert "detourage_outbox_messages 0.0" in found
    assert 'detourage_oldest_seconds{work="extract"} 0.0' in found
