"""Health says what a process has last done, and fails when that is too long ago."""

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detourage.cli import main
from worker.processes.heartbeat import MAX_AGE_SECONDS, Heartbeat
from worker.settings import load_settings


@pytest.fixture
def relay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Heartbeat:
    """The heartbeat of a relay, in the directory that `health` reads."""
    monkeypatch.setenv("DETOURAGE_HEARTBEAT_DIRECTORY", str(tmp_path))
    load_settings.cache_clear()
    return Heartbeat(tmp_path, "relay")


def health() -> Result:
    return CliRunner().invoke(main, ["health", "relay"])


def grow_older(directory: Path, seconds: float) -> None:
    """Pretend that the relay's work was confirmed earlier."""
    file = directory / "relay.heartbeat"
    record = json.loads(file.read_text())
    file.write_text(json.dumps({**record, "at": record["at"] - seconds}))


def test_health_shows_what_was_last_done(relay: Heartbeat) -> None:
    relay.confirm("published 3 messages")
    result = health()
    assert (result.exit_code, result.output) == (
        0,
        "relay last published 3 messages, 0 seconds ago\n",
    )


def test_health_fails_when_work_is_older_than_its_interval_allows(
    relay: Heartbeat, tmp_path: Path
) -> None:
    relay.confirm("published 3 messages")
    grow_older(tmp_path, 2 * MAX_AGE_SECONDS)
    result = health()
    assert result.exit_code == 1
    assert "relay last published 3 messages, 60 seconds ago" in result.output
    relay.confirm("published 3 messages", allowed_seconds=3 * MAX_AGE_SECONDS)
    grow_older(tmp_path, 2 * MAX_AGE_SECONDS)
    assert health().exit_code == 0


def test_work_before_the_host_was_restarted_does_not_count(
    relay: Heartbeat, tmp_path: Path
) -> None:
    relay.confirm("published 3 messages")
    # The monotonic clock starts again at a restart.
    grow_older(tmp_path, -time.monotonic() - 60)
    assert health().exit_code == 1


def test_a_clock_set_back_does_not_hide_an_idle_process(
    relay: Heartbeat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay.confirm("published 3 messages")
    grow_older(tmp_path, 2 * MAX_AGE_SECONDS)
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - 3600)
    assert health().exit_code == 1
