"""Log lines: one for an event, with what it is about, never with a password."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from worker import logs

SECRET = "hunter2!"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """Where a test may send the logs; they go back to where they were."""
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


def test_a_json_line_holds_the_event_and_what_was_bound(file: Path) -> None:
    logs.configure("INFO", "json", str(file))
    logs.bind(task_id="outbox-7", page_id=3)
    logging.getLogger("worker.x").info("page %d\nof %s", 3, "a")
    logging.getLogger("worker.x").debug("never seen")
    logs.unbind_all()
    logging.getLogger("worker.y").warning("later")
    first, second = (json.loads(line) for line in file.read_text().splitlines())
    assert (first["event"], first["level"], first["logger"]) == ("page 3\nof a", "info", "worker.x")
    assert (first["task_id"], first["page_id"]) == ("outbox-7", 3)
    assert first["timestamp"].endswith("Z")
    assert isinstance(first["process"], int)
    assert "task_id" not in second


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize(
    "text",
    [
        f"amqp://user:{SECRET}@broker:5672//",
        f"postgresql+psycopg2://user:{SECRET}@db/d and amqps://:{SECRET}@broker",
        f"host=db password={SECRET} user=user",
        f"https://reader:{SECRET}@news.example/a",
    ],
)
def test_no_password_is_logged(file: Path, form: logs.Format, text: str) -> None:
    logs.configure("INFO", form, str(file))
    logs.bind(page=text)
    try:
        fail(text)
    except ConnectionError:
        logging.getLogger("worker").exception("no answer from %s", text)
    written = file.read_text()
    assert "no answer" in written
    assert "ConnectionError" in written
    assert "hunter2" not in written
    assert "***" in written


def test_what_is_no_password_is_left_alone() -> None:
    text = "https://news.example:8080/a@b password of 3 words, mail to a:b@example.org at 10:30"
    assert logs.without_passwords(text) == text
