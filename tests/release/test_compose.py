"""The Compose file is valid, and each of its services has everything that a deployment needs.

Tests that need Docker's own programs are marked ``compose``; `make test-compose` runs them.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from sqlalchemy import make_url

from detourage.cli import main
from tests.image_context import ROOT
from tests.snippets import compose_services
from worker.settings import Settings

COMPOSE = ROOT / "docker-compose.yml"
DEPLOY = ROOT / "deploy"
PROCESSES = ("intake", "relay", "worker", "beat")
PROFILES = {"metrics": "monitoring", "prometheus": "monitoring", "grafana": "monitoring"} | {
    "flower": "flower",
    "inspector": "inspector",
    "stories": "stories",
    "stories-migrate": "stories",
}
ONE_TIME = ("broker-users", "database-roles", "migrate", "stories-migrate")
SERVICES = tuple(dict.fromkeys(("rabbitmq", "postgres", *ONE_TIME, *PROCESSES, *PROFILES)))
DEFINITIONS = compose_services()
# Services that run this project's code.
OWN_SERVICES = ("migrate", *PROCESSES, "metrics", "inspector", "stories", "stories-migrate")


def test_the_file_follows_the_compose_specification() -> None:
    result = subprocess.run(
        [
            *(sys.executable, "-m", "check_jsonschema"),
            *("--builtin-schema", "vendor.compose-spec", COMPOSE),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """The secret files that the script generates for a first start."""
    subprocess.run([DEPLOY / "passwords.sh"], cwd=tmp_path, check=True)
    return tmp_path / "secrets"


def secret_contents(secrets: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in secrets.iterdir()}


def test_every_required_secret_is_generated_once(secrets: Path) -> None:
    contents = secret_contents(secrets)
    required = yaml.safe_load(COMPOSE.read_text())["secrets"]
    assert {Path(each["file"]).name for each in required.values()} <= set(contents)
    passwords = {name: value for name, value in contents.items() if name.endswith("_password")}
    assert len(set(passwords.values())) == len(passwords) == 10
    assert all(re.fullmatch("[0-9a-f]{48}", each) for each in passwords.values())
    subprocess.run([DEPLOY / "passwords.sh"], cwd=secrets.parent, check=True)
    assert secret_contents(secrets) == contents
    # The containers' users can read the files; on the host, only their owner can reach them.
    assert secrets.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in secrets.iterdir()} == {0o644}


def test_passwords_from_an_earlier_version_are_reused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("POSTGRES_PASSWORD=0wn3r\nGRAFANA_PORT=3001\n")
    subprocess.run([DEPLOY / "passwords.sh"], cwd=tmp_path, check=True)
    contents = secret_contents(tmp_path / "secrets")
    assert contents["postgres_password"] == "0wn3r"
    assert ":0wn3r@" in contents["database_url_owner"]
    assert len(contents["rabbitmq_password"]) == 48


def test_a_changed_password_is_in_all_files_derived_from_it(secrets: Path) -> None:
    (secrets / "broker_service_password").write_text("ch4nged\n")
    subprocess.run([DEPLOY / "passwords.sh"], cwd=secrets.parent, check=True)
    assert ":ch4nged@" in secret_contents(secrets)["broker_url"]


def test_the_urls_come_from_the_secrets(secrets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DETOURAGE_DATABASE_URL", "DETOURAGE_BROKER_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DETOURAGE_DATABASE_URL_FILE", str(secrets / "database_url_service"))
    monkeypatch.setenv("DETOURAGE_BROKER_URL_FILE", str(secrets / "broker_url"))
    settings, contents = Settings(), secret_contents(secrets)
    assert (
        make_url(settings.require_database_url()).password == contents["database_service_password"]
    )
    assert contents["broker_service_password"] in settings.require_broker_url()


def test_commands_without_support_for_files_get_the_passwords(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("p $(w) 'x'\n")
    result = subprocess.run(
        [DEPLOY / "with-secrets.sh", "sh", "-c", 'printf %s "$PGPASSWORD"'],
        env={**os.environ, "PGPASSWORD_FILE": str(tmp_path / "password")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == "p $(w) 'x'"


def test_no_image_has_a_moving_tag() -> None:
    images = re.findall(r"\bimage: (?:&\w+ )?(.+)", COMPOSE.read_text())
    default_images = [re.fullmatch(r"\$\{[A-Z]+_IMAGE:-(.+)\}", each) for each in images]
    # The base image of the service's image must be the same in two files.
    dockerfile = (ROOT / "Dockerfile").read_text()
    (base_image,) = re.findall(r"ARG PYTHON_IMAGE=(.+)", dockerfile)
    assert re.findall(r"\$\{PYTHON_IMAGE:-(.+)\}", COMPOSE.read_text()) == [base_image]
    assert re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE) == ["${PYTHON_IMAGE}"] * 2
    tags = [*(each[1] for each in default_images if each), base_image]
    own_images = [each for each in images if each == "detourage"]
    aliases = [each for each in images if each.startswith("*")]
    assert len(tags) - 1 + len(own_images) + len(aliases) == len(images)
    for tag in tags:
        assert re.fullmatch(r"docker\.io/[a-z/]+:v?\d+\.\d+(\.\d+)?(-[a-z-]+)?", tag), tag


def test_images_are_pinned_to_the_digests_given_by_the_registry(tmp_path: Path) -> None:
    # This program replaces the registry: it returns a digest derived from the requested name.
    fake_docker = tmp_path / "docker"
    fake_docker.write_text(
        "#!/bin/sh\n"
        '[ "$2" = version ] || echo "sha256:$(printf %s "$6" | sha256sum | head -c 64)"\n'
    )
    fake_docker.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    result = subprocess.run(
        [DEPLOY / "pin-images.sh"],
        env={**os.environ, "PATH": path, "POSTGRES_IMAGE": "mirror.example/postgres:17.6@old"},
        capture_output=True,
        text=True,
        check=True,
    )
    pinned = dict(line.split("=", 1) for line in result.stdout.splitlines())
    assert set(pinned) == set(re.findall(r"\$\{(\w+_IMAGE):-", COMPOSE.read_text()))
    for image in pinned.values():
        tag, _, digest = image.partition("@")
        assert digest == f"sha256:{hashlib.sha256(tag.encode()).hexdigest()}"
    assert pinned["POSTGRES_IMAGE"].startswith("mirror.example/postgres:17.6@")


def compose_config(secrets: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Have Docker's program read the Compose file with the given secrets."""
    return subprocess.run(
        [*compose_program(), "--file", COMPOSE, *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DETOURAGE_SECRETS": str(secrets)},
    )


def compose_program() -> list[str]:
    """Return the installed Compose program: Docker's plugin or Debian's package."""
    for program in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(program[0]):
            version = subprocess.run([*program, "version"], capture_output=True, check=False)
            if version.returncode == 0:
                return program
    pytest.fail("no docker compose: apt-get install docker-compose")


@pytest.mark.compose
@pytest.mark.parametrize("profile", ["", *sorted(set(PROFILES.values()))])
def test_docker_compose_accepts_the_file_with_each_profile(profile: str, secrets: Path) -> None:
    options = ["--profile", profile] if profile else []
    result = compose_config(secrets, *options, "config", "--services")
    assert result.returncode == 0, result.stderr
    expected = {name for name in SERVICES if PROFILES.get(name, profile) == profile}
    assert expected <= set(result.stdout.split())


@pytest.mark.compose
def test_docker_compose_passes_secrets_only_as_files(secrets: Path) -> None:
    profile_options = [word for name in set(PROFILES.values()) for word in ("--profile", name)]
    result = compose_config(secrets, *profile_options, "config")
    assert result.returncode == 0, result.stderr
    config = yaml.safe_load(result.stdout)
    assert set(config["services"]) == set(SERVICES)
    contents = secret_contents(secrets)
    assert [name for name, value in contents.items() if value in result.stdout] == []
    files = {name: Path(each["file"]) for name, each in config["secrets"].items()}
    assert {each.parent for each in files.values()} == {secrets}
    assert all(each.name in contents for each in files.values())
    used_secrets = {
        each["source"]
        for service in config["services"].values()
        for each in service.get("secrets", [])
    }
    assert used_secrets == set(files)


@pytest.mark.parametrize("name", SERVICES)
def test_no_environment_contains_a_password(name: str) -> None:
    service = DEFINITIONS[name]
    mounted_files = {
        f"/run/secrets/{each}" for each in service.get("secrets", []) if isinstance(each, str)
    }
    read_files = set()
    for variable, value in service.get("environment", {}).items():
        if re.search("PASS|AUTH|_URL", variable):
            assert variable.endswith("_FILE"), variable
            read_files.add(value)
    read_files |= set(re.findall("/run/secrets/\\w+", json.dumps(service.get("command", ""))))
    assert read_files == mounted_files


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_limits_and_is_local_and_restarted(name: str) -> None:
    assert set(DEFINITIONS) == set(SERVICES)
    service = DEFINITIONS[name]
    assert service["logging"]["options"]["max-size"]
    assert name in ("prometheus", "grafana", "flower") or service["mem_limit"]
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    # Optional services start only on request.
    assert service.get("profiles", []) == ([PROFILES[name]] if name in PROFILES else [])
    if name not in ONE_TIME:
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"][0] == "CMD"


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_waits_only_for_conditions_that_can_be_met(name: str) -> None:
    waits = DEFINITIONS[name].get("depends_on", {})
    assert name not in OWN_SERVICES or name == "migrate" or "migrate" in waits
    for other, wait in waits.items():
        if wait["condition"] == "service_healthy":
            assert DEFINITIONS[other]["healthcheck"]["test"]
        else:
            assert wait["condition"] == "service_completed_successfully"
            assert DEFINITIONS[other]["restart"] == "no"


@pytest.mark.parametrize("name", sorted({*OWN_SERVICES, *ONE_TIME, *PROFILES}))
def test_a_process_has_no_privileges(name: str) -> None:
    service = DEFINITIONS[name]
    assert service["user"].split(":")[0] != "0"
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True


def test_mounted_files_exist() -> None:
    mounts = [mount for service in DEFINITIONS.values() for mount in service.get("volumes", [])]
    files = [mount.split(":") for mount in mounts if mount.startswith("./")]
    assert len(files) == 10
    for source, _, mode in files:
        assert (ROOT / source).is_file()
        assert mode == "ro"


def test_prometheus_scrapes_the_metrics_and_grafana_queries_prometheus() -> None:
    prometheus = yaml.safe_load((ROOT / "monitoring/prometheus.yml").read_text())
    (target,) = prometheus["scrape_configs"][0]["static_configs"][0]["targets"]
    host, port = target.split(":")
    assert DEFINITIONS[host]["command"][-2:] == ["--port", port]
    (datasource,) = yaml.safe_load((ROOT / "monitoring/grafana/datasources.yml").read_text())[
        "datasources"
    ]
    assert datasource["url"] == "http://prometheus:9090"
    dashboard = json.loads((ROOT / "monitoring/grafana/detourage.json").read_text())
    assert {panel["datasource"]["uid"] for panel in dashboard["panels"]} == {datasource["uid"]}
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_every_variable_given_to_a_process_is_a_setting(name: str) -> None:
    settings = {
        variable.removeprefix("DETOURAGE_").removesuffix("_FILE").lower()
        for variable in DEFINITIONS[name]["environment"]
        if variable.startswith("DETOURAGE_")
    }
    required = {"database_url"} if name.endswith("migrate") else {"database_url", "broker_url"}
    assert required <= settings <= set(Settings.model_fields)


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_a_process_has_the_rights_that_it_needs(name: str, secrets: Path) -> None:
    owners, readers = {"migrate", "stories-migrate"}, {"metrics", "inspector"}
    role = (
        "detourage" if name in owners else f"detourage_{'read' if name in readers else 'service'}"
    )
    environment = DEFINITIONS[name]["environment"]
    url_file = Path(environment["DETOURAGE_DATABASE_URL_FILE"]).name
    assert f"//{role}:" in secret_contents(secrets)[url_file]
    assert "//detourage_service:" in secret_contents(secrets)["broker_url"]


def test_every_command_of_the_file_exists() -> None:
    commands = [DEFINITIONS[name]["command"] for name in OWN_SERVICES]
    commands += [DEFINITIONS[name]["healthcheck"]["test"][1:] for name in PROCESSES]
    own_commands = [command[1:] for command in commands if command[0] == "detourage"]
    assert len(own_commands) == 11
    for arguments in own_commands:
        result = CliRunner().invoke(main, [*arguments, "--help"])
        assert result.exit_code == 0, result.output
    celery_commands = [command for command in commands if command[0] == "celery"]
    assert [command[2:5] for command in celery_commands] == [
        ["-A", "worker", "worker"],
        ["-A", "worker", "beat"],
    ]
