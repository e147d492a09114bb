"""`detourage health` shows how long ago a process last worked, and fails if that is too long."""

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


@pytest.mark.parametrize(
    ("age", "allowed", "code", "expected"),
    [
        (0, MAX_AGE_SECONDS, 0, "relay last published 3 messages, 0 seconds ago\n"),
        (60, MAX_AGE_SECONDS, 1, "relay last published 3 messages, 60 seconds ago"),
        (60, 3 * MAX_AGE_SECONDS, 0, "relay last published 3 messages, 60 seconds ago\n"),
        # The monotonic clock starts again when the host restarts.
        (-time.monotonic() - 60, MAX_AGE_SECONDS, 1, "relay"),
    ],
    ids=["now", "too long ago", "a longer interval", "before the host was restarted"],
)
def test_health_shows_the_last_work_and_fails_if_it_is_too_old(
    relay: Heartbeat,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    age: float,
    allowed: float,
    code: int,
    expected: str,
) -> None:
    relay.confirm("published 3 messages", allowed_seconds=allowed)
    file = tmp_path / "relay.heartbeat"
    record = json.loads(file.read_text())
    file.write_text(json.dumps({**record, "at": record["at"] - age}))
    result = health()
    assert result.exit_code == code
    assert expected in result.output
    # Setting the clock back does not hide an idle process.
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    assert health().exit_code == code
