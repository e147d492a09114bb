"""Every command responds to invalid arguments with one or two lines, never with a traceback."""

import gzip
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchmarks.__main__ import main as benchmarks
from detourage.cli import main
from tests.acceptance.command_line import detourage
from tests.commands import (
    DEPLOYMENT_COMMANDS,
    FAILED,
    FAILING_BENCHMARK_COMMANDS,
    FAILING_COMMANDS,
    SUCCEEDING_COMMANDS,
    USAGE_ERROR,
    Server,
)
from tests.pages import article_html, message
from worker.settings import PREFIX, load_settings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with valid and invalid input files; no servers are configured."""
    monkeypatch.chdir(tmp_path)
    for server in ("DATABASE", "BROKER"):
        monkeypatch.delenv(f"{PREFIX}{server}_URL", raising=False)
    monkeypatch.setenv(f"{PREFIX}HEARTBEAT_DIRECTORY", str(tmp_path / "heartbeats"))
    body = message("https://a.example/1", article_html(1))
    (tmp_path / "pages.jsonl").write_bytes(body + b"\n")
    (tmp_path / "nothing.jsonl").write_text("{}\n")
    (tmp_path / "broken.jsonl.gz").write_bytes(gzip.compress(body)[:100])
    (tmp_path / "note.txt").write_text("a note")
    (tmp_path / "urls.txt").write_text("# pages\nhttps://a.example/\n")
    (tmp_path / "empty.html").touch()
    (tmp_path / "deep.jsonl").write_text("[" * 100_000)
    (tmp_path / "[").mkdir()
    (tmp_path / "[" / "x].warc").write_text("no archive")
    (tmp_path / "empty").mkdir()
    (tmp_path / "html").mkdir()
    for seed in range(2):
        (tmp_path / "html" / f"{seed}.html").write_text(article_html(seed))
    load_settings.cache_clear()
    return tmp_path


def command_names(command: click.Command, before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return the names of a command's subcommands, such as ``("quarantine", "list")``."""
    if not isinstance(command, click.Group):
        return [before]
    return [
        name
        for key, each in command.commands.items()
        for name in command_names(each, (*before, key))
    ]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("program", "arguments", "code", "words"),
    [
        *((main, *each) for each in FAILING_COMMANDS),
        (main, ("run", "missing.jsonl", "-o", "o"), USAGE_ERROR, "missing.jsonl"),
        *((benchmarks, *each) for each in FAILING_BENCHMARK_COMMANDS),
    ],
)
def test_invalid_arguments_are_reported(
    program: click.Group, arguments: tuple[str, ...], code: int, words: str
) -> None:
    result = CliRunner().invoke(program, list(arguments))
    assert result.exit_code == code, (result.output, result.exception)
    assert isinstance(result.exception, SystemExit)
    assert words in result.output
    assert "Traceback" not in result.output


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [*SUCCEEDING_COMMANDS, (("health", "--all"), "settings: all variables are known")],
)
def test_valid_arguments_have_the_expected_effect(arguments: tuple[str, ...], words: str) -> None:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, (result.output, result.exception)
    assert words in result.output


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("arguments", "servers"), DEPLOYMENT_COMMANDS)
def test_missing_deployment_settings_are_reported(
    arguments: tuple[str, ...], servers: frozenset[Server]
) -> None:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == FAILED, (result.output, result.exception)
    assert isinstance(result.exception, SystemExit)
    assert any(f"{each.upper()}_URL is not set" in result.output for each in servers)
    assert "Traceback" not in result.output


@pytest.mark.usefixtures("folder")
def test_an_invalid_setting_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{PREFIX}LOG_LEVEL", "[/x]")
    result = CliRunner().invoke(main, ["status"])
    assert result.exit_code == FAILED, (result.output, result.exception)
    assert f"{PREFIX}LOG_LEVEL" in result.output
    assert isinstance(result.exception, SystemExit)


TESTED_ARGUMENTS = [
    *(arguments for arguments, *_ in FAILING_COMMANDS),
    *(arguments for arguments, _ in SUCCEEDING_COMMANDS),
    *(arguments for arguments, _ in DEPLOYMENT_COMMANDS),
]


@pytest.mark.parametrize("name", command_names(main), ids=" ".join)
def test_every_command_is_tested(name: tuple[str, ...]) -> None:
    assert any(each[: len(name)] == name for each in TESTED_ARGUMENTS)


def test_errors_are_reported_in_one_line_by_a_real_process(folder: Path) -> None:
    result = detourage("run", folder / "broken.jsonl.gz", "-o", folder / "out.jsonl")
    assert result.returncode == FAILED
    assert len(result.stderr.splitlines()) == 1
    assert not (folder / "out.jsonl").exists()
    success = detourage("extract", folder / "pages.jsonl", "--format", "json")
    assert json.loads(success.stdout)["url"] == "https://a.example/1"
