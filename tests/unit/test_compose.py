"""The deployment file is valid, and each of its services is what a deployment needs.

What only Docker's own programs can tell is marked ``compose``: `make test-compose`.
"""

import hashlib
import json
import os
import re
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
DEPLOY = ROOT / "deploy"
PROCESSES = ("intake", "relay", "worker", "beat")
PROFILES = {"metrics": "monitoring", "prometheus": "monitoring", "grafana": "monitoring"} | {
    "flower": "flower",
    "inspector": "inspector",
}
ONCE = ("broker-users", "database-roles", "migrate")
SERVICES = ("rabbitmq", "postgres", *ONCE, *PROCESSES, *PROFILES)
ASKED = sorted(set(re.findall(r"\$\{(\w+_PASSWORD):\?", COMPOSE.read_text())))
OURS = ("migrate", *PROCESSES, "metrics", "inspector")


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE.read_text())["services"]
    return loaded


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


@pytest.fixture
def passwords(tmp_path: Path) -> dict[str, str]:
    """What the script makes for a first start."""
    subprocess.run([DEPLOY / "passwords.sh", tmp_path / ".env"], check=True)
    lines = (tmp_path / ".env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_every_password_that_is_asked_for_is_made_once(
    passwords: dict[str, str], tmp_path: Path
) -> None:
    assert sorted(passwords) == ASKED
    assert len(set(passwords.values())) == len(passwords)
    assert all(re.fullmatch("[0-9a-f]{48}", each) for each in passwords.values())
    file = tmp_path / ".env"
    before = file.read_text()
    subprocess.run([DEPLOY / "passwords.sh", file], check=True)
    assert file.read_text() == before
    assert file.stat().st_mode & 0o777 == 0o600


def test_no_image_has_a_tag_that_moves() -> None:
    named = re.findall(r"\bimage: (?:&\w+ )?(.+)", COMPOSE.read_text())
    chosen = [re.fullmatch(r"\$\{[A-Z]+_IMAGE:-(.+)\}", each) for each in named]
    tags = [each[1] for each in chosen if each] + [python_image()]
    ours = [each for each in named if each == "detourage"]
    references = [each for each in named if each.startswith("*")]
    assert len(tags) - 1 + len(ours) + len(references) == len(named)
    for tag in tags:
        assert re.fullmatch(r"docker\.io/[a-z/]+:v?\d+\.\d+(\.\d+)?(-[a-z-]+)?", tag), tag


def python_image() -> str:
    """Return the image that ours is made from, which two files name."""
    built: str
    (built,) = re.findall(r"ARG PYTHON_IMAGE=(.+)", (ROOT / "Dockerfile").read_text())
    (asked,) = re.findall(r"\$\{PYTHON_IMAGE:-(.+)\}", COMPOSE.read_text())
    assert built == asked
    assert (
        re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        == ["${PYTHON_IMAGE}"] * 2
    )
    return built


def test_images_are_pinned_by_the_digests_that_their_registry_tells(tmp_path: Path) -> None:
    # In place of a registry, which no test has: a digest made of the name that is asked for.
    told = tmp_path / "docker"
    told.write_text(
        "#!/bin/sh\n"
        '[ "$2" = version ] || echo "sha256:$(printf %s "$6" | sha256sum | head -c 64)"\n'
    )
    told.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        [DEPLOY / "pin-images.sh"],
        env={**os.environ, "PATH": path, "POSTGRES_IMAGE": "mirror.example/postgres:17.6@old"},
        capture_output=True,
        text=True,
        check=True,
    )
    pinned = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert set(pinned) == set(re.findall(r"\$\{(\w+_IMAGE):-", COMPOSE.read_text()))
    for image in pinned.values():
        tag, _, digest = image.partition("@")
        assert digest == f"sha256:{hashlib.sha256(tag.encode()).hexdigest()}"
    assert pinned["POSTGRES_IMAGE"].startswith("mirror.example/postgres:17.6@")


def compose_config(
    passwords: dict[str, str], directory: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Have Docker's program read the file with these passwords and no others."""
    file = directory / "passwords"
    file.write_text("".join(f"{name}={value}\n" for name, value in passwords.items()))
    environment = {name: value for name, value in os.environ.items() if name not in ASKED}
    return subprocess.run(
        [*compose_program(), "--file", COMPOSE, "--env-file", file, *options],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


def compose_program() -> list[str]:
    """Return the compose program of this machine: Docker's plugin, or Debian's package."""
    for program in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(program[0]):
            version = subprocess.run([*program, "version"], capture_output=True, check=False)
            if version.returncode == 0:
                return program
    pytest.fail("no docker compose: apt-get install docker-compose")


@pytest.mark.compose
@pytest.mark.parametrize("profile", ["", *sorted(set(PROFILES.values()))])
def test_docker_compose_accepts_it_with_each_profile(
    profile: str, passwords: dict[str, str], tmp_path: Path
) -> None:
    options = ["--profile", profile] if profile else []
    listed = compose_config(passwords, tmp_path, *options, "config", "--services")
    assert listed.returncode == 0, listed.stderr
    named = {name for name in SERVICES if PROFILES.get(name, profile) == profile}
    assert named <= set(listed.stdout.split())


@pytest.mark.compose
def test_docker_compose_gives_each_password_to_who_needs_it(
    passwords: dict[str, str], tmp_path: Path
) -> None:
    every = [word for name in set(PROFILES.values()) for word in ("--profile", name)]
    shown = compose_config(passwords, tmp_path, *every, "config")
    assert shown.returncode == 0, shown.stderr
    services = yaml.safe_load(shown.stdout)["services"]
    assert set(services) == set(SERVICES)
    given = json.dumps(services)
    assert [name for name, value in passwords.items() if value not in given] == []


@pytest.mark.compose
@pytest.mark.parametrize("missing", ASKED)
def test_docker_compose_names_the_script_where_a_password_is_missing(
    missing: str, passwords: dict[str, str], tmp_path: Path
) -> None:
    del passwords[missing]
    refused = compose_config(passwords, tmp_path, "config")
    assert refused.returncode != 0
    assert missing in refused.stderr
    assert "run deploy/passwords.sh" in refused.stderr


def test_nothing_starts_with_a_password_that_everybody_knows(
    services: dict[str, dict[str, Any]],
) -> None:
    asked = [
        value
        for service in services.values()
        for name, value in service.get("environment", {}).items()
        if "PASS" in name or "AUTH" in name or name.endswith("_URL")
    ]
    assert len(asked) >= 2 * len(OURS) - 1
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


@pytest.mark.parametrize("name", [name for name in SERVICES if name not in ONCE])
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


@pytest.mark.parametrize("name", sorted({*OURS, *ONCE, *PROFILES}))
def test_a_process_has_no_privileges(name: str, services: dict[str, dict[str, Any]]) -> None:
    service = services[name]
    assert service["user"].split(":")[0] != "0"
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True


def test_files_that_are_mounted_are_there(services: dict[str, dict[str, Any]]) -> None:
    mounts = [mount for service in services.values() for mount in service.get("volumes", [])]
    files = [mount.split(":") for mount in mounts if mount.startswith("./")]
    assert len(files) == 7
    for source, _, mode in files:
        assert (ROOT / source).is_file()
        assert mode == "ro"


def test_deploying_tells_of_each_profile_and_each_port() -> None:
    text = (ROOT / "docs/how-to/deploy.md").read_text().partition("\n## ")[0]
    told = " ".join(text.split())
    for profile in set(PROFILES.values()):
        assert f"`--profile {profile}`" in told
    ports = dict(re.findall(r"\$\{(\w+_PORT):-(\d+)\}", COMPOSE.read_text()))
    assert len(ports) == 6
    for variable, port in ports.items():
        assert f"`{variable}`" in told
        assert variable.startswith(("POSTGRES", "RABBITMQ")) or f"port {port}" in told


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
    needed = {"database_url"} if name == "migrate" else {"database_url", "broker_url"}
    assert needed <= given <= set(Settings.model_fields)


@pytest.mark.parametrize("name", OURS)
def test_a_process_has_the_rights_that_it_needs(
    name: str, services: dict[str, dict[str, Any]]
) -> None:
    owner, reader = {"migrate"}, {"metrics", "inspector"}
    role = "detourage" if name in owner else f"detourage_{'read' if name in reader else 'service'}"
    environment = services[name]["environment"]
    assert f"//{role}:" in environment["DETOURAGE_DATABASE_URL"]
    assert "//detourage_service:" in environment.get("DETOURAGE_BROKER_URL", "//detourage_service:")


def test_the_commands_exist(services: dict[str, dict[str, Any]]) -> None:
    commands = [services[name]["command"] for name in OURS]
    commands += [services[name]["healthcheck"]["test"][1:] for name in PROCESSES]
    ours = [command[1:] for command in commands if command[0] == "detourage"]
    (inspector,) = re.findall("exec detourage (.+)", services["inspector"]["command"][-1])
    ours.append(inspector.split())
    assert len(ours) == 9
    for arguments in ours:
        done = CliRunner().invoke(main, [*arguments, "--help"])
        assert done.exit_code == 0, done.output
    celery = [command for command in commands if command[0] == "celery"]
    assert [command[1:4] for command in celery] == [
        ["-A", "worker", "worker"],
        ["-A", "worker", "beat"],
    ]
