"""Feedback from the example recogniser to the commands, while every process is running."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import amqp
import pytest
from click.testing import CliRunner
from sqlalchemy import func, select

from models.tables import Feedback, StoredPage
from tests.deployment import Deployment
from tests.pages import article_html, message
from worker import cli

ROOT = Path(__file__).parents[3]
SITE = "feedback.example"


@contextmanager
def recogniser(deployment: Deployment, database: Path) -> Iterator[None]:
    topology, settings = deployment.topology, deployment.settings
    queue = topology.articles_queue
    program = [sys.executable, "examples/recognise.py", settings.require_broker_url()]
    options = ["--queue", queue, "--feedback", topology.feedback_exchange.name]
    process = subprocess.Popen([*program, str(database), *options], cwd=ROOT, env={**os.environ})
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(30) == 0
        with deployment.amqp() as connection, connection.channel() as channel:
            channel.queue_delete(f"{queue}.unreadable")
            channel.exchange_delete(f"{queue}.unreadable")


def feedback_of_site(command_line: CliRunner) -> list[dict[str, Any]]:
    done = command_line.invoke(cli.main, ["status", SITE, "--json"], catch_exceptions=False)
    found: list[dict[str, Any]] = json.loads(done.stdout)["feedback"]
    return found


@pytest.mark.usefixtures("articles")
def test_pages_without_entities_are_found_by_feedback_and_reprocessed(
    deployment: Deployment, command_line: CliRunner, tmp_path: Path
) -> None:
    # The recogniser looks for capitalised words.
    named = {f"https://{SITE}/{n}": article_html(n) for n in range(3)}
    named = {url: html.replace("Note", "Ada Lovelace noted") for url, html in named.items()}
    nameless = {f"https://{SITE}/{n}": article_html(n).lower() for n in range(3, 5)}
    pages = named | nameless
    before = deployment.receipts()
    deployment.publish(message(url, html) for url, html in pages.items())
    deployment.wait_for_receipts(before + len(pages))
    deployment.wait_for_outcomes()
    # The recogniser also reads articles that earlier tests left in the queue.
    of_site = StoredPage.url.startswith(f"https://{SITE}/")
    joined = (
        select(func.count())
        .select_from(Feedback)
        .join(StoredPage, StoredPage.id == Feedback.page_id)
    )
    stored = joined.where(of_site)
    with recogniser(deployment, tmp_path / "entities.sqlite"):
        deployment.wait_until(lambda: deployment.count(stored) >= len(pages))
    deployment.wait_for_outcomes()
    first = feedback_of_site(command_line)[0]
    assert first["articles"] == len(pages)
    assert first["without_entities"] == len(nameless) / len(pages)
    revisions = deployment.revisions(SITE)

    asked = command_line.invoke(cli.main, ["reprocess", SITE, "--without-entities"])
    assert (
        asked.output
        == f"reprocessing of the pages of {SITE} without entities from extract requested\n"
    )
    changed = {url: number + (url in nameless) for url, number in revisions.items()}
    deployment.wait_until(lambda: deployment.revisions(SITE) == changed)
    deployment.wait_for_outcomes()
    # The recogniser may have left articles of earlier tests in the queue.
    sent = [each for each in deployment.take_articles() if each["site"] == SITE]
    assert {article["url"] for article in sent} == nameless.keys()
    assert feedback_of_site(command_line)[0]["articles"] == len(named)


@pytest.mark.usefixtures("articles")
def test_unusable_feedback_can_be_listed_sent_back_and_dropped(
    deployment: Deployment, command_line: CliRunner
) -> None:
    topology = deployment.topology
    with deployment.amqp() as connection, connection.channel() as channel:
        channel.basic_publish(
            amqp.Message(b"{broken", delivery_mode=2, message_id="broken-feedback"),
            exchange=topology.feedback_exchange.name,
        )

    def listed() -> list[list[str]]:
        done = command_line.invoke(cli.main, ["quarantine", "list", "--stage", "feedback"])
        assert done.exit_code == 0, done.output
        return [re.split(" {2,}", line)[:2] for line in done.output.splitlines()[1:]]

    deployment.wait_until(lambda: listed() == [["feedback", "not-json"]])
    again = command_line.invoke(cli.main, ["quarantine", "requeue", "broken-feedback"])
    assert again.output == "1 message sent back\n"
    deployment.wait_until(lambda: listed() == [["feedback", "not-json"]])
    dropped = command_line.invoke(cli.main, ["quarantine", "drop", "--yes", "broken-feedback"])
    assert dropped.output == "1 message dropped\n"
    assert listed() == []
