"""Every command with wrong arguments, and in wrong places: a line or two, never a traceback."""

import gzip
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.acceptance.command_line import detourage
from tests.pages import article_html, message
from worker.cli import main
from worker.settings import PREFIX, load_settings

USAGE = 2
FAILED = 1

WRONG = [
    ((), USAGE, "Commands"),
    (("unknown",), USAGE, "No such command"),
    (("run",), USAGE, "Missing"),
    (("run", "pages.jsonl"), USAGE, "--output"),
    (("run", "pages.jsonl", "-o", "pages.jsonl"), USAGE, "would be overwritten"),
    (("run", "pages.jsonl", "-o", "o", "--workers", "0"), USAGE, "--workers"),
    (("run", "broken.jsonl.gz", "-o", "o"), FAILED, "broken.jsonl.gz"),
    (("run", "empty", "-o", "o"), FAILED, "holds no JSON lines"),
    (("run", "note.txt", "-o", "o"), FAILED, "is neither"),
    (("run", "[/x].warc", "-o", "o"), FAILED, "WARC"),
    (("run", "html", "-o", "o", "--base-url", "news.example"), USAGE, "--base-url"),
    (("run", "html", "-o", "o", "--base-url", "https://a.example/?q"), USAGE, "no query"),
    (("run", "html", "-o", "o", "--site", "[/x]"), USAGE, "--site"),
    (("send",), USAGE, "Missing"),
    (("send", "pages.jsonl"), FAILED, "BROKER_URL"),
    (("send", "html", "--site", "a b"), USAGE, "--site"),
    (("sample",), USAGE, "Missing"),
    (("sample", "note.txt"), USAGE, "is a file"),
    (("extract",), USAGE, "Missing"),
    (("extract", "missing.html"), FAILED, "no such file"),
    (("extract", "html"), FAILED, "name one by --url"),
    (("extract", "pages.jsonl", "--format", "pdf"), USAGE, "--format"),
    (("extract", "http://127.0.0.1:9/"), FAILED, "cannot be fetched"),
    (("extract", "http://[::1"), FAILED, "cannot be fetched"),
    (("extract", "note.txt"), FAILED, "is neither"),
    (("explain", "missing.html"), FAILED, "no such file"),
    (("explain", "pages.jsonl", "--site-pages", "missing"), USAGE, "does not exist"),
    (("explain", "pages.jsonl", "--html", "missing/out.html"), FAILED, "missing"),
    (("cluster", "missing.jsonl"), USAGE, "does not exist"),
    (("cluster", "pages.jsonl", "--method", "[/x]"), FAILED, "no method"),
    (("cluster", "nothing.jsonl"), FAILED, "no usable page"),
    (("schema",), USAGE, "Missing"),
    (("schema", "book"), USAGE, "book"),
    (("evaluate", "missing", "missing"), USAGE, "does not exist"),
    (("evaluate", "empty", "pages.jsonl"), FAILED, "empty"),
    (("evaluate", "note.txt", "pages.jsonl"), FAILED, "note.txt"),
    (("bench", "missing"), USAGE, "does not exist"),
    (("bench", "empty"), FAILED, "empty"),
    (("bench", "empty", "--seconds", "0"), USAGE, "--seconds"),
    (("bench", "empty", "--jobs", "many"), USAGE, "--jobs"),
    (("health", "cook"), USAGE, "cook"),
    (("health", "intake"), FAILED, "was last alive"),
    (("status", "--top", "-1"), USAGE, "--top"),
    (("status", "--queues", "--pending"), USAGE, "--queues"),
    (("reprocess",), USAGE, "SITE or --all"),
    (("reprocess", "a.example", "--all"), USAGE, "SITE or --all"),
    (("reprocess", "a.example", "--rate", "1"), USAGE, "--rate"),
    (("reprocess", "--all", "--rate", "0"), USAGE, "--rate"),
    (("reprocess", "--all", "--from", "dinner"), USAGE, "--from"),
    (("reprocessing", "begin"), USAGE, "No such command"),
    (("prune",), USAGE, "--older-than"),
    (("prune", "--older-than", "-1"), USAGE, "--older-than"),
    (("prune", "--older-than", "1", "--only", "cake"), USAGE, "--only"),
    (("quarantine", "eat"), USAGE, "No such command"),
    (("quarantine", "list", "--stage", "kitchen"), USAGE, "--stage"),
    (("quarantine", "list", "--limit", "-1"), USAGE, "--limit"),
    (("metrics", "--port", "0"), USAGE, "--port"),
]

OF_A_DEPLOYMENT = [
    ("migrate",),
    ("intake",),
    ("relay",),
    ("ready",),
    ("metrics",),
    ("status",),
    ("status", "a.example"),
    ("status", "--queues"),
    ("reprocess", "a.example"),
    ("reprocess", "--all"),
    ("reprocessing",),
    ("reprocessing", "pause"),
    ("reprocessing", "resume"),
    ("reprocessing", "cancel"),
    ("prune", "--older-than", "1"),
    ("quarantine", "list"),
    ("quarantine", "show", "id"),
    ("quarantine", "requeue", "--yes"),
    ("quarantine", "drop", "--yes", "id"),
    ("send", "pages.jsonl"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all kinds of input, and nothing configured."""
    monkeypatch.chdir(tmp_path)
    for server in ("DATABASE", "BROKER"):
        monkeypatch.delenv(f"{PREFIX}{server}_URL", raising=False)
    monkeypatch.setenv(f"{PREFIX}HEARTBEAT_DIRECTORY", str(tmp_path / "heartbeats"))
    body = message("https://a.example/1", article_html(1))
    (tmp_path / "pages.jsonl").write_bytes(body + b"\n")
    (tmp_path / "nothing.jsonl").write_text("{}\n")
    (tmp_path / "broken.jsonl.gz").write_bytes(gzip.compress(body)[:100])
    (tmp_path / "note.txt").write_text("a note")
    (tmp_path / "[").mkdir()
    (tmp_path / "[" / "x].warc").write_text("no archive")
    (tmp_path / "empty").mkdir()
    (tmp_path / "html").mkdir()
    for seed in range(2):
        (tmp_path / "html" / f"{seed}.html").write_text(article_html(seed))
    load_settings.cache_clear()
    return tmp_path


def names(command: click.Command, before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        return [before]
    return [name for key, each in command.commands.items() for name in names(each, (*before, key))]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("arguments", "code", "words"), WRONG)
def test_wrong_arguments_are_told(arguments: tuple[str, ...], code: int, words: str) -> None:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == code, (done.output, done.exception)
    assert isinstance(done.exception, SystemExit)
    assert words in done.output
    assert "Traceback" not in done.output


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("arguments", OF_A_DEPLOYMENT)
def test_a_deployment_that_is_not_configured_is_told(arguments: tuple[str, ...]) -> None:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == FAILED, (done.output, done.exception)
    assert isinstance(done.exception, SystemExit)
    assert "_URL is not set" in done.output
    assert "Traceback" not in done.output


@pytest.mark.usefixtures("folder")
def test_a_setting_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{PREFIX}LOG_LEVEL", "[/x]")
    done = CliRunner().invoke(main, ["status"])
    assert done.exit_code == FAILED, (done.output, done.exception)
    assert f"{PREFIX}LOG_LEVEL" in done.output
    assert isinstance(done.exception, SystemExit)


def test_every_command_is_in_the_table() -> None:
    tried = [arguments for arguments, *_ in WRONG] + list(OF_A_DEPLOYMENT)
    untried = [name for name in names(main) if not any(each[: len(name)] == name for each in tried)]
    # It takes no argument, and needs no deployment.
    assert untried == [("doctor",)]


def test_so_it_is_in_a_process_of_its_own(folder: Path) -> None:
    done = detourage("run", folder / "broken.jsonl.gz", "-o", folder / "out.jsonl")
    assert done.returncode == FAILED
    assert len(done.stderr.splitlines()) == 1
    assert not (folder / "out.jsonl").exists()
    found = detourage("extract", folder / "pages.jsonl", "--format", "json")
    assert json.loads(found.stdout)["url"] == "https://a.example/1"
