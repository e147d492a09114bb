"""The service with a real RabbitMQ and a real PostgreSQL, observed by an independent client."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import select, update

from models.tables import Generation, StoredPage
from tests.deployment import Deployment
from tests.integration.service.crawl import OUTCOMES, REJECTED, UNUSABLE
from tests.pages import article_html, message, paragraphs


def test_every_good_page_gives_one_article(
    deployment: Deployment, articles: list[dict[str, Any]]
) -> None:
    urls = sorted(article["url"] for article in articles)
    assert urls == [f"https://good.example/a/{seed}" for seed in range(6)]
    deployment.check()


def test_an_article_contains_its_story_authors_and_date(articles: list[dict[str, Any]]) -> None:
    for article in articles:
        seed = int(article["page_id"])
        published = f"2024-05-0{seed + 1}T00:30:00+02:00"
        assert article["text"] == "\n\n".join(paragraphs(seed))
        assert article["title"] == f"Bridge story number {seed}"
        assert article["authors"] == ["Jane Doe", "John Roe"]
        assert article["published_at"] == published
        assert article["metadata"]["published"] == published
        assert article["metadata"]["section"] == "Bridges"
        assert article["metadata"]["kind"] == "article"
        assert (article["revision"], article["template"]["size"]) == (1, 6)


@pytest.mark.usefixtures("articles")
def test_each_unusable_page_has_its_outcome(deployment: Deployment) -> None:
    with deployment.database.transaction() as session:
        found = dict(session.execute(select(StoredPage.url, StoredPage.outcome)).all())
    assert {url: found[url] for url in REJECTED} == OUTCOMES


@pytest.mark.usefixtures("articles")
def test_a_changed_page_gets_the_next_revision(deployment: Deployment) -> None:
    url = "https://good.example/a/2"
    before = deployment.receipts()
    deployment.publish([message(url, article_html(42), id="2")])
    deployment.wait_for_receipts(before + 1)
    deployment.wait_for_outcomes()
    (article,) = [each for each in deployment.take_articles() if each["url"] == url]
    assert article["revision"] == 2
    assert article["text"] == "\n\n".join(paragraphs(42))


@pytest.mark.usefixtures("articles")
def test_reprocessing_a_site_raises_each_revision_by_one(
    deployment: Deployment, command_line: Callable[..., Result]
) -> None:
    deployment.wait_for_outcomes()
    deployment.take_articles()
    revisions = deployment.revisions("good.example")
    # Otherwise, the site would wait for a minute until it is clustered again.
    earlier = update(Generation).values(created_at=Generation.created_at - timedelta(minutes=2))
    deployment.database.execute(earlier)
    command_line("reprocess", "good.example", "--from", "parse")
    raised = {url: revision + 1 for url, revision in revisions.items()}
    deployment.wait_until(lambda: deployment.revisions("good.example") == raised)
    deployment.wait_for_outcomes()
    assert {each["url"]: each["revision"] for each in deployment.take_articles()} == raised
    unknown = command_line("reprocess", "nowhere.example", code=1)
    assert "site 'nowhere.example' is unknown" in unknown.output


@pytest.mark.usefixtures("articles")
def test_status_shows_groups_and_queues(command_line: Callable[..., Result]) -> None:
    status = json.loads(command_line("status", "good.example", "--json").output)
    (site,) = status["sites"]
    assert site["groups"] == {"1": 6}
    assert site["outcomes"] == {"article": 6}
    assert any(name.endswith("crawler.pages") for name in status["queues"])


@pytest.mark.usefixtures("articles")
def test_every_log_line_is_json_and_names_its_page_or_message(deployment: Deployment) -> None:
    unusable = [line for line in deployment.logged("intake") if line["level"] == "warning"]
    assert len(unusable) >= len(UNUSABLE)
    assert all(line["message_id"] for line in unusable)
    worker = deployment.logged("worker")
    assert {"celery.worker.strategy", "celery.app.trace"} <= {line["logger"] for line in worker}
    extracted = [
        line
        for line in worker
        if line.get("task") == "detourage.extract" and line["event"].endswith(": article")
    ]
    assert all(line["task_id"] and line["page_id"] for line in extracted)
    pages = {line["page"] for line in extracted if line.get("site") == "good.example"}
    assert pages == {f"https://good.example/a/{seed}" for seed in range(6)}
    for process in ("relay", "beat"):
        assert all(line["timestamp"] for line in deployment.logged(process))
