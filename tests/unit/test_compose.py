"""The deployment file is valid, and each of its services is what a deployment needs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from worker.cli import main
from worker.settings import Settings

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yml"
PROCESSES = ("intake", "relay", "worker", "beat")
PROFILES = {"metrics": "monitoring", "prometheus": "monitoring", "grafana": "monitoring"} | {
    "flower": "flower"
}
SERVICES = ("rabbitmq", "postgres", "migrate", *PROCESSES, *PROFILES)
OURS = ("migrate", *PROCESSES, "metrics")


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE.read_text())["services"]
    return loaded


def compose_programs() -> list[list[str]]:
    """Return the compose programs of this machine; there may be none."""
    found = []
    for program in (["docker", "compose"], ["docker-compose"], ["podman-compose"]):
        if shutil.which(program[0]):
            version = subprocess.run([*program, "version"], capture_output=True, check=False)
            if version.returncode == 0:
                found.append(program)
    return found


def test_it_follows_the_compose_specification() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "check_jsonschema"),
            *("--builtin-schema", "vendor.compose-spec", COMPOSE),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_compose_programs_of_this_machine_accept_it() -> None:
    passwords = {"POSTGRES_PASSWORD": "a", "RABBITMQ_PASSWORD": "b"}
    for program in compose_programs():
        done = subprocess.run(
            [*program, "--file", COMPOSE, "config"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **passwords},
        )
        assert done.returncode == 0, done.stderr


def test_nothing_starts_with_a_password_that_everybody_knows(
    services: dict[str, dict[str, Any]],
) -> None:
    asked = [
        value
        for service in services.values()
        for name, value in service.get("environment", {}).items()
        if "PASS" in name or "AUTH" in name or name.endswith("_URL")
    ]
    assert len(asked) >= 2 * len(OURS)
    assert all("_PASSWORD:?" in value for value in asked)


@pytest.mark.parametrize("name", SERVICES)
def test_logs_and_memory_of_a_service_are_bounded(
    name: str, services: dict[str, dict[str, Any]]
) -> None:
    assert services[name]["logging"]["options"]["max-size"]
    assert name in ("prometheus", "grafana", "flower") or services[name]["mem_limit"]


def test_it_names_every_service(services: dict[str, dict[str, Any]]) -> None:
    assert set(services) == set(SERVICES)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_waits_only_for_what_can_come(
    name: str, services: dict[str, dict[str, Any]]
) -> None:
    for other, wait in services[name].get("depends_on", {}).items():
        if wait["condition"] == "service_healthy":
            assert services[other]["healthcheck"]["test"]
        else:
            assert wait["condition"] == "service_completed_successfully"
            assert services[other]["restart"] == "no"


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "migrate"])
def test_a_service_restarts_and_tells_its_health(
    name: str, services: dict[str, dict[str, Any]]
) -> None:
    assert services[name]["restart"] == "unless-stopped"
    assert services[name]["healthcheck"]["test"][0] == "CMD"


@pytest.mark.parametrize("name", SERVICES)
def test_what_only_some_want_is_left_out_unless_asked_for(
    name: str, services: dict[str, dict[str, Any]]
) -> None:
    assert services[name].get("profiles", []) == ([PROFILES[name]] if name in PROFILES else [])


@pytest.mark.parametrize("name", sorted({*OURS, *PROFILES}))
def test_a_process_has_no_privileges(name: str, services: dict[str, dict[str, Any]]) -> None:
    service = services[name]
    assert service["user"].split(":")[0] != "0"
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True


def test_files_that_are_mounted_are_there(services: dict[str, dict[str, Any]]) -> None:
    mounts = [mount for service in services.values() for mount in service.get("volumes", [])]
    files = [mount.split(":") for mount in mounts if mount.startswith("./")]
    assert len(files) == 5
    for source, _, mode in files:
        assert (ROOT / source).is_file()
        assert mode == "ro"


def test_prometheus_asks_the_metrics_and_grafana_asks_prometheus(
    services: dict[str, dict[str, Any]],
) -> None:
    scraped = yaml.safe_load((ROOT / "monitoring/prometheus.yml").read_text())
    (target,) = scraped["scrape_configs"][0]["static_configs"][0]["targets"]
    host, port = target.split(":")
    assert services[host]["command"][-2:] == ["--port", port]
    (source,) = yaml.safe_load((ROOT / "monitoring/grafana/datasources.yml").read_text())[
        "datasources"
    ]
    assert source["url"] == "http://prometheus:9090"
    dashboard = json.loads((ROOT / "monitoring/grafana/detourage.json").read_text())
    assert {panel["datasource"]["uid"] for panel in dashboard["panels"]} == {source["uid"]}
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


@pytest.mark.parametrize("name", SERVICES)
def test_no_port_is_open_to_other_machines(name: str, services: dict[str, dict[str, Any]]) -> None:
    assert all(port.startswith("127.0.0.1:") for port in services[name].get("ports", []))


@pytest.mark.parametrize("name", OURS)
def test_the_settings_given_are_settings(name: str, services: dict[str, dict[str, Any]]) -> None:
    given = {
        variable.removeprefix("DETOURAGE_").lower()
        for variable in services[name]["environment"]
        if variable.startswith("DETOURAGE_")
    }
    assert {"database_url", "broker_url"} <= given <= set(Settings.model_fields)


def test_the_commands_exist(services: dict[str, dict[str, Any]]) -> None:
    commands = [services[name]["command"] for name in OURS]
    commands += [services[name]["healthcheck"]["test"][1:] for name in PROCESSES]
    ours = [command[1:] for command in commands if command[0] == "detourage"]
    assert len(ours) == 8
    for arguments in ours:
        done = CliRunner().invoke(main, [*arguments, "--help"])
        assert done.exit_code == 0, done.output
    celery = [command for command in commands if command[0] == "celery"]
    assert [command[1:4] for command in celery] == [
        ["-A", "worker", "worker"],
        ["-A", "worker", "beat"],
    ]
