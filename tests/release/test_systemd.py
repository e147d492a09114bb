"""The systemd units start what the compose file starts, with the same limits."""

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.image_context import ROOT
from tests.snippets import check_assignments, check_command, compose_services

SYSTEMD = ROOT / "deploy" / "systemd"
INSTALLED_PROGRAMS = "/opt/detourage/bin/"
SERVICES = compose_services()
UNITS = sorted(SYSTEMD.glob("*.service"))


def read_unit(unit: Path) -> configparser.RawConfigParser:
    """Parse a unit file. If a key is repeated, only its last value is kept."""
    parser = configparser.RawConfigParser(strict=False, delimiters="=")
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(unit.read_text())
    return parser


def process_of(unit: Path) -> str:
    return unit.stem.removeprefix("detourage-")


@pytest.mark.parametrize("unit", UNITS, ids=process_of)
def test_a_unit_runs_the_command_of_the_compose_file(unit: Path) -> None:
    command = read_unit(unit)["Service"]["ExecStart"]
    assert command.startswith(INSTALLED_PROGRAMS)
    check_command(command.removeprefix(INSTALLED_PROGRAMS))
    words = command.removeprefix(INSTALLED_PROGRAMS).split()
    assert words[:3] == SERVICES[process_of(unit)]["command"][:3][: len(words)]
    assert read_unit(unit)["Service"]["MemoryMax"].lower() == {"worker": "3g"}.get(
        process_of(unit), "1g"
    )


@pytest.mark.parametrize("unit", UNITS, ids=process_of)
def test_a_unit_gets_the_secrets_of_the_compose_file(unit: Path) -> None:
    files = [line.partition(":/etc/detourage/")[2] for line in _values(unit, "LoadCredential")]
    assert files == SERVICES[process_of(unit)]["secrets"]
    credential_names = {
        name for line in _values(unit, "LoadCredential") for name in [line.partition(":")[0]]
    }
    (variables,) = _values(unit, "Environment")
    assert {each.rpartition("%d/")[2] for each in variables.split()} == credential_names
    check_assignments("\n".join(each.replace("_FILE=", "=") for each in variables.split()))


def test_the_target_starts_the_processes_that_compose_starts() -> None:
    units = read_unit(SYSTEMD / "detourage.target")["Unit"]["Wants"].split()
    own_services = {name for name, each in SERVICES.items() if each.get("image") == "detourage"}
    expected = {name for name in own_services if "profiles" not in SERVICES[name]} - {"migrate"}
    assert {Path(name).stem.removeprefix("detourage-") for name in units} == expected
    assert all((SYSTEMD / name).is_file() for name in units)


def test_the_environment_file_has_only_known_settings() -> None:
    lines = (SYSTEMD / "detourage.env").read_text().splitlines()
    check_assignments("\n".join(line for line in lines if not line.startswith("#")))


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    program_directory = Path(sys.executable).parent
    for unit in [*UNITS, SYSTEMD / "detourage.target"]:
        text = unit.read_text().replace(INSTALLED_PROGRAMS, f"{program_directory}/")
        (tmp_path / unit.name).write_text(text)
        assert set(read_unit(unit).sections()) <= {"Unit", "Service", "Install"}
    if program is None:
        return
    result = subprocess.run(
        [program, "verify", "--man=no", *map(str, tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [line for line in result.stderr.splitlines() if str(tmp_path) in line]
    assert (result.returncode, complaints) == (0, []), result.stderr


def _values(unit: Path, key: str) -> list[str]:
    lines = unit.read_text().splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(f"{key}=")]
