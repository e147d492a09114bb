"""Each event is logged as one line, with its context and without passwords."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from worker import logs
from worker.error_reports import without_passwords

SECRET = "hunter2!"
LOGGER = logging.getLogger("worker.x")


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    """A log file for the test; the logging configuration is restored afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield tmp_path / "log"
    for handler in root.handlers:
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)
    logs.unbind_all()


def fail(url: str) -> None:
    raise ConnectionError(f"{url} does not answer")


def log_failure(name: str, message: str) -> None:
    """Log an error that was raised by a function, with a message that quotes its argument."""
    try:
        fail(name)
    except ConnectionError as error:
        wrapped = RuntimeError("the cause is another")
        wrapped.__cause__ = error
        LOGGER.warning(message, name, exc_info=wrapped)
        LOGGER.exception(message, name)


def test_a_json_line_contains_the_event_and_the_bound_context(log_file: Path) -> None:
    logs.configure("INFO", "json", str(log_file))
    logs.bind(task_id="outbox-7", page_id=3)
    LOGGER.info("page %d\nof %s", 3, "a")
    LOGGER.debug("never seen")
    logs.unbind_all()
    logging.getLogger("worker.y").warning("later")
    first, second = (json.loads(line) for line in log_file.read_text().splitlines())
    assert (first["event"], first["level"], first["logger"]) == ("page 3\nof a", "info", "worker.x")
    assert (first["task_id"], first["page_id"]) == ("outbox-7", 3)
    assert first["timestamp"].endswith("Z")
    assert isinstance(first["process"], int)
    assert "task_id" not in second


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        (f"amqp://user:{SECRET}@broker:5672//", []),
        (f"postgresql+psycopg2://user:{SECRET}@db/d and amqps://:{SECRET}@broker", []),
        (f"host=db password={SECRET} user=user", []),
        (f"https://reader:{SECRET}@news.example/a", []),
        (str({"password": SECRET}), [SECRET]),
    ],
)
def test_neither_passwords_nor_secrets_are_logged(
    log_file: Path, form: logs.Format, text: str, secrets: list[str]
) -> None:
    logs.configure("INFO", form, str(log_file), secrets=secrets)
    logs.bind(page=text)
    log_failure(text, "no answer from %s")
    log = log_file.read_text()
    assert "no answer" in log
    assert "ConnectionError" in log
    assert "hunter2" not in log
    assert "***" in log


def test_text_without_passwords_is_unchanged() -> None:
    text = "https://news.example:8080/a@b password of 3 words, mail to a:b@example.org at 10:30"
    assert without_passwords(text) == text


def test_a_traceback_shows_no_local_variables(log_file: Path) -> None:
    logs.configure("INFO", "text", str(log_file))
    log_failure("the broker", "failed: %s")
    log = log_file.read_text()
    assert "test_logs.py" in log
    assert "locals" not in log
    assert "url = " not in log


def test_a_lost_connection_is_logged_in_one_line_with_its_cause(log_file: Path) -> None:
    logs.configure("INFO", "text", str(log_file))
    for _ in range(3):
        try:
            fail("the broker")
        except ConnectionError:
            logging.getLogger("kombu.mixins").warning("Broker connection lost.", exc_info=True)
    lines = log_file.read_text().splitlines()
    assert len(lines) == 3
    assert all("the broker does not answer" in line for line in lines)


def test_logged_text_cannot_forge_a_line_or_move_the_cursor(log_file: Path) -> None:
    logs.configure("INFO", "text", str(log_file))
    hostile = "a\r\n2026-01-01T00:00:00Z [info] all is well\x1b[2J\x9b1m\u2028\u202eb"
    logs.bind(page=hostile)
    LOGGER.info("page %s", hostile)
    log = log_file.read_text()
    assert log.count("\n") == 1
    assert not set("\r\x1b\x9b\u2028\u202e") & set(log)
    assert "all is well" in log
