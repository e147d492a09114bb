"""Every process refuses servers with untrusted certificates and logs the refusal."""

import os
import signal
from pathlib import Path

from tests.deployment import PROCESSES, Deployment, started_processes
from tests.integration.secured.conftest import CommandLine
from tests.integration.secured.servers import UNCERTIFIED, SecuredServers
from worker.settings import Settings

UNTRUSTED = "certificate verify failed"


def test_the_database_certificate_is_verified_as_the_url_requires(
    servers: SecuredServers, command_line: CommandLine
) -> None:
    by_stranger = servers.database_url("detourage_service", authority=servers.stranger)
    wrong_host = servers.database_url("detourage_service", host=UNCERTIFIED)
    wrong_password = servers.database_url("detourage_service", password="wrong")
    for address, reason in (
        (by_stranger, UNTRUSTED),
        (wrong_host, "does not match host name"),
        (wrong_password, "password authentication failed"),
    ):
        for command in ("status", "migrate", "quarantine list"):
            code, output = command_line(command, database_url=address)
            assert code == 1
            assert reason in output
            assert len(output.splitlines()) == 1
            assert "@" not in output
        code, output = command_line("health --all", database_url=address)
        lines = [line for line in output.splitlines() if reason in line]
        assert (code, lines[0][:16]) == (1, "FAIL  database: ")


def test_the_broker_certificate_needs_the_right_name_and_a_trusted_authority(
    servers: SecuredServers, command_line: CommandLine
) -> None:
    wrong_host = servers.broker_url("detourage_service", host=UNCERTIFIED)
    for changes, reason in (
        ({"broker_ca_file": servers.stranger}, UNTRUSTED),
        # An empty setting selects the system's authorities, none of which signed the certificate.
        ({"broker_ca_file": ""}, UNTRUSTED),
        ({"broker_url": wrong_host}, "certificate is not valid for"),
    ):
        code, output = command_line("status --queues", **changes)
        assert code == 1
        assert reason in output
        assert len(output.splitlines()) == 1
        code, output = command_line("health --all", **changes)
        assert code == 1
        assert [line[:14] for line in output.splitlines() if reason in line] == ["FAIL  broker: "]


def test_each_node_of_the_broker_is_verified_by_its_own_name(
    servers: SecuredServers, command_line: CommandLine
) -> None:
    wrong = servers.broker_url("detourage_service", host=UNCERTIFIED)
    right = servers.broker_url("detourage_service")
    code, output = command_line("status --queues", broker_url=f"{wrong};{right}")
    assert code == 0, output


def test_no_process_talks_to_an_untrusted_broker(
    servers: SecuredServers, deployment: Deployment, tmp_path: Path
) -> None:
    settings = Settings.model_validate(
        {
            **deployment.settings.model_dump(),
            "broker_ca_file": servers.stranger,
            "heartbeat_directory": tmp_path,
        }
    )
    with started_processes(settings, tmp_path, PROCESSES) as (supervisor, running):
        logs = [tmp_path / f"{name}.log" for name in running]
        deployment.wait_until(lambda: all(UNTRUSTED in log.read_text() for log in logs))
        for pid in running.values():
            os.kill(pid, signal.SIGTERM)
        for name in running:
            assert supervisor.wait_for(name) == 0, name
    for name in PROCESSES:
        log = (tmp_path / f"{name}.log").read_text()
        assert "Traceback" not in log
        assert settings.secrets[0] not in log


def test_no_process_starts_with_an_untrusted_database(
    servers: SecuredServers, deployment: Deployment, tmp_path: Path
) -> None:
    settings = Settings.model_validate(
        {
            **deployment.settings.model_dump(),
            "database_url": servers.database_url("detourage_service", authority=servers.stranger),
            "heartbeat_directory": tmp_path,
        }
    )
    with started_processes(settings, tmp_path, ("intake", "beat")) as (supervisor, running):
        for name in running:
            assert supervisor.wait_for(name) == 1
            log = (tmp_path / f"{name}.log").read_text()
            (error,) = [line for line in log.splitlines() if line.startswith("Error: ")]
            assert error.startswith("Error: the database refused access: ")
            assert "Traceback" not in log
