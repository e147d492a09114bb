"""Runs on a configured deployment; an interrupted run resumes under the same ID."""

import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import func, select

from models.tables import Receipt
from tests.acceptance.command_line import read_lines
from tests.deployment import own_queues
from tests.pages import site_messages
from tests.parted_pages import part_messages
from tests.preloaded import PreloadedSupervisor
from worker.local.run import POLL_SECONDS, RunSummary, completed_run
from worker.local.unfinished import Leftover, run_folder
from worker.messaging.broker import BrokerError
from worker.settings import Settings
from worker.store.database import Database
from worker.store.progress import RunProgress


@pytest.fixture
def deployed_settings(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings of a deployment, whose queues are removed after the test."""
    monkeypatch.setattr("worker.local.run.Supervisor", PreloadedSupervisor)
    with own_queues(settings):
        yield settings


def run(
    settings: Settings, messages: Iterator[bytes], output: Path, leftover: Leftover
) -> RunSummary:
    with (
        run_folder(output, leftover) as folder,
        completed_run(settings, 1, messages, output, folder) as summary,
    ):
        return summary


def interrupt_after(messages: list[bytes]) -> Iterator[bytes]:
    """Yield the messages, then raise the exception that Ctrl-C raises."""
    yield from messages
    raise KeyboardInterrupt


def test_an_interrupted_run_on_a_deployment_resumes(
    deployed_settings: Settings, tmp_path: Path
) -> None:
    output = tmp_path / "articles.jsonl"
    bodies = site_messages("one.example", range(8))
    with pytest.raises(KeyboardInterrupt):
        run(deployed_settings, interrupt_after(bodies[:5]), output, "refuse")
    assert (tmp_path / "articles.jsonl.run" / "run.json").exists()

    summary = run(deployed_settings, iter(bodies), output, "resume")
    assert (summary.sent, summary.progress.received, summary.articles) == (8, 8, 8)
    assert [each["url"] for each in read_lines(output)] == sorted(
        each["url"] for each in read_lines(output)
    )
    assert list(tmp_path.iterdir()) == [output]
    with (
        Database(deployed_settings.require_database_url()) as database,
        database.transaction() as session,
    ):
        runs = session.scalars(select(func.left(Receipt.message_id, 40)).distinct()).all()
    assert len(runs) == 1


def test_progress_is_reported_from_the_start_and_articles_written_early_are_final(
    deployed_settings: Settings, tmp_path: Path
) -> None:
    output = tmp_path / "articles.jsonl"
    written_early: dict[str, Any] = {}
    sent_so_far: list[int] = []

    def record_articles(sent: int, _counts: RunProgress) -> None:
        sent_so_far.append(sent)
        if output.exists():
            written_early.update({each["id"]: each["text"] for each in read_lines(output)})

    bodies = [*part_messages(), *site_messages("one.example", range(20, 28))]
    slowly = (body for body in bodies if not Event().wait(POLL_SECONDS / 4))
    with (
        run_folder(output, "refuse") as folder,
        completed_run(deployed_settings, 1, slowly, output, folder, on_progress=record_articles),
    ):
        pass
    assert sent_so_far[0] < sent_so_far[-1] == len(bodies)
    final = {each["id"]: each["text"] for each in read_lines(output)}
    assert written_early.items() <= final.items()
    assert len(final) == len(bodies)


def test_a_run_refused_by_the_broker_does_not_start(
    deployed_settings: Settings, tmp_path: Path
) -> None:
    url = deployed_settings.require_broker_url()
    secret = SecretStr(re.sub(":[^:@/]+@", ":wrong@", url))
    changed = deployed_settings.model_copy(update={"broker_url": secret})
    output = tmp_path / "articles.jsonl"
    with pytest.raises(BrokerError, match=r"broker refused access: .* DETOURAGE_BROKER_URL"):
        run(changed, iter(site_messages("one.example", range(1))), output, "refuse")
    assert list(tmp_path.iterdir()) == []
