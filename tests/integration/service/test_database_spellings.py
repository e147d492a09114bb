"""All spellings of the database URL are equivalent wherever the URL is used."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from models.tables import Site
from tests.deployment import Deployment, own_settings, remove_queues
from tests.inline_tasks import Tasks
from tests.pages import site_messages
from tests.services import SPELLINGS, Services, spelled
from worker.cli import main
from worker.settings import load_settings
from worker.workflow.process import configure, process_state

SITE = "spelled.example"
PAGES = 4


@pytest.fixture(params=SPELLINGS)
def deployed(
    request: pytest.FixtureRequest,
    services: Services,
    database_url: str,
    tasks: Tasks,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Deployment]:
    """A deployment with one spelling of the URL. The intake runs; tasks are run by the test."""
    settings = own_settings(services, database_url, tmp_path / "heartbeats")
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DETOURAGE_DATABASE_URL", spelled(database_url, request.param))
    load_settings.cache_clear()
    configure(load_settings())
    tasks.database = process_state().database
    try:
        with Deployment(load_settings(), tmp_path, ["intake"], [request.param]) as deployment:
            yield deployment
    finally:
        remove_queues(load_settings())
        load_settings.cache_clear()


def command(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_every_spelling_works_for_pages_commands_and_metrics(
    deployed: Deployment,
    tasks: Tasks,
    request: pytest.FixtureRequest,
    caplog: pytest.LogCaptureFixture,
) -> None:
    command("migrate")
    command("health", "--all")
    command("health")
    deployed.publish(site_messages(SITE, range(PAGES)))
    deployed.wait_for_receipts(PAGES)
    (site,) = tasks.ask(select(Site.id))
    work = request.node.name
    with caplog.at_level(logging.WARNING):
        tasks.complete(site)
        for seconds in (0.2, 2):
            process_state().durations.note(work, seconds)
        process_state().durations.write()
    assert caplog.messages == []
    assert len(tasks.articles()) == PAGES
    assert f"{PAGES} pages" in command("status")
    assert SITE in command("status", SITE)
    deployed.wait_until(lambda: 'work="intake"' in command("status", "--prometheus"))
    metrics = command("status", "--prometheus")
    assert f'detourage_duration_seconds_count{{work="{work}"}} 2.0' in metrics
    assert "WARNING" not in deployed.log_file("intake").read_text()
