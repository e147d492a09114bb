"""The alert rules are valid, documented, tested and accepted by promtool."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
MONITORING = ROOT / "monitoring"


@pytest.fixture(scope="module")
def rules() -> list[dict[str, Any]]:
    """The alert rules; `test_metrics.py` of the shared deployment checks their metrics."""
    (group,) = yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def test_prometheus_loads_the_rules() -> None:
    configured = yaml.safe_load((MONITORING / "prometheus.yml").read_text())
    assert configured["rule_files"] == ["alerts.yml"]
    mounts = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["prometheus"][
        "volumes"
    ]
    mounted_directories = {Path(mount.split(":")[1]).parent for mount in mounts if ":ro" in mount}
    assert mounted_directories == {Path("/etc")}


def test_each_alert_has_a_severity_and_is_tested_and_explained(rules: list[dict[str, Any]]) -> None:
    for rule in rules:
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
        assert rule["annotations"]["summary"].strip()
    names = [rule["alert"] for rule in rules]
    assert len(set(names)) == len(names)
    alert_tests = (MONITORING / "alerts_test.yml").read_text()
    assert [name for name in names if name not in alert_tests] == []
    guide = (ROOT / "docs/how-to/monitor.md").read_text()
    assert re.findall(r"^\| `(Detourage\w+)` \|", guide, re.MULTILINE) == names


def test_an_installed_promtool_accepts_and_tests_the_rules() -> None:
    program = shutil.which("promtool")
    if program is None:
        return
    for command in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        result = subprocess.run(
            [program, *command], cwd=MONITORING, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stdout + result.stderr
