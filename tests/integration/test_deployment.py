"""The service on a real RabbitMQ and PostgreSQL, fed by a client that knows nothing of it."""

import base64
import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import func, select

from models.limits import MAX_HTML_BYTES
from models.messages import ArticleMessage
from models.tables import Generation, Site, StoredPage
from tests.deployment import Deployment
from tests.pages import article_html, message, paragraphs
from worker import cli
from worker.sample import generate
from worker.service.quarantine import browse
from worker.settings import load_settings

REDESIGNED = "harbour-post.example"
"""The site of the sample crawl that is redesigned half way."""

MONITORING = Path(__file__).parents[2] / "monitoring"
READERS = (MONITORING / "grafana/detourage.json", MONITORING / "alerts.yml")
"""Files that name metrics."""

NESTED = "<div>" * 100_000 + "text"


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


UNUSABLE: dict[str, bytes] = {
    "not-json": b"{broken",
    "invalid-message": b'["a list"]',
    "no-url": json.dumps({"version": 1, "html": "<p>a</p>"}).encode(),
    "unsupported-url": message("ftp://bad.example/a", "<p>a</p>"),
    "oversized": message("https://bad.example/big", "a" * (11 * 1024 * 1024)),
    "no-html": message("https://bad.example/none"),
    "unsupported-version": json.dumps(
        {"version": 9, "url": "https://bad.example/a", "html": "a"}
    ).encode(),
}

REJECTED: dict[str, bytes] = {
    "https://bad.example/pdf": message(
        "https://bad.example/pdf", html_base64=encoded(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj")
    ),
    "https://bad.example/image": message(
        "https://bad.example/image", html_base64=encoded(b"\x89PNG\r\n\x1a\n" + bytes(200))
    ),
    "https://bad.example/empty": message("https://bad.example/empty", html_base64=""),
    "https://bad.example/noise": message(
        "https://bad.example/noise",
        html_base64=encoded(bytes((n * n * 31 + n * 7 + n // 5) % 256 for n in range(5000))),
    ),
    "https://bad.example/deep": message("https://bad.example/deep", NESTED),
}

OUTCOMES = {
    "https://bad.example/pdf": "not-html",
    "https://bad.example/image": "not-html",
    "https://bad.example/empty": "empty",
    "https://bad.example/noise": "undecodable",
    "https://bad.example/deep": "too-deep",
}


@pytest.fixture(scope="module")
def articles(deployment: Deployment) -> list[dict[str, Any]]:
    """Good pages of a site, each sent twice, among unusable ones: what reaches the recogniser."""
    good = [described(seed) for seed in range(6)]
    bad = [*UNUSABLE.values(), *REJECTED.values()]
    mixed = [body for pair in zip(good * 2, bad, strict=True) for body in pair]
    deployment.publish(mixed)
    deployment.wait_for_receipts(len(mixed))
    deployment.wait_for_outcomes()
    return deployment.take_articles()


def described(seed: int) -> bytes:
    """Return an article page that says what it is."""
    record = {
        "@type": "NewsArticle",
        "author": [{"name": "Jane Doe"}, {"name": "John Roe"}],
        "datePublished": f"2024-05-0{seed + 1}T00:30:00+02:00",
        "articleSection": "Bridges",
    }
    head = f'<script type="application/ld+json">{json.dumps(record)}</script></head>'
    html = article_html(seed).replace("</head>", head)
    return message(f"https://good.example/a/{seed}", html, id=str(seed))


def outcomes(deployment: Deployment) -> dict[str, str | None]:
    with deployment.database.transaction() as session:
        return dict(session.execute(select(StoredPage.url, StoredPage.outcome)).all())


def test_every_good_page_gives_one_article(
    deployment: Deployment, articles: list[dict[str, Any]]
) -> None:
    urls = sorted(article["url"] for article in articles)
    assert urls == [f"https://good.example/a/{seed}" for seed in range(6)]
    deployment.check()


def test_the_article_is_the_story_and_nothing_but(articles: list[dict[str, Any]]) -> None:
    for article in articles:
        seed = int(article["page_id"])
        assert article["text"] == "\n\n".join(paragraphs(seed))
        assert article["title"] == f"Bridge story number {seed}"


def test_the_article_comes_with_its_authors_and_its_date(articles: list[dict[str, Any]]) -> None:
    for article in articles:
        seed = int(article["page_id"])
        published = f"2024-05-0{seed + 1}T00:30:00+02:00"
        assert article["authors"] == ["Jane Doe", "John Roe"]
        assert article["published_at"] == published
        assert article["metadata"]["published"] == published
        assert article["metadata"]["section"] == "Bridges"
        assert article["metadata"]["kind"] == "article"


def test_the_article_keeps_the_contract(articles: list[dict[str, Any]]) -> None:
    for values in articles:
        article = ArticleMessage.model_validate_json(json.dumps(values))
        assert article.revision == 1
        assert article.template.size == 6
        assert {block.type for block in article.blocks} == {"paragraph"}
        for block in article.blocks:
            assert article.text[block.start : block.end] == block.text
    assert {values["template"]["role"] for values in articles} == {"member", "representative"}


@pytest.mark.usefixtures("articles")
def test_each_unusable_message_is_in_quarantine_with_its_reason(deployment: Deployment) -> None:
    held = list(browse(deployment.settings, "intake"))
    assert sorted(each.reason for each in held) == sorted(UNUSABLE)
    assert {each.reason: each.body for each in held} == UNUSABLE


@pytest.mark.usefixtures("articles")
def test_each_unusable_page_has_its_outcome(deployment: Deployment) -> None:
    found = outcomes(deployment)
    assert {url: found[url] for url in REJECTED} == OUTCOMES


@pytest.mark.usefixtures("articles")
def test_a_new_version_of_a_page_gives_the_next_revision(deployment: Deployment) -> None:
    url = "https://good.example/a/2"
    before = deployment.receipts()
    deployment.publish([message(url, article_html(42), id="2")])
    deployment.wait_for_receipts(before + 1)
    deployment.wait_for_outcomes()
    (article,) = [each for each in deployment.take_articles() if each["url"] == url]
    assert article["revision"] == 2
    assert article["text"] == "\n\n".join(paragraphs(42))


@pytest.mark.usefixtures("articles")
@pytest.mark.parametrize("stage", ["parse", "compare", "cluster", "extract"])
def test_reprocessing_a_site_raises_each_revision_by_one(
    deployment: Deployment, command_line: CliRunner, stage: str
) -> None:
    deployment.wait_for_outcomes()
    deployment.take_articles()
    before = deployment.revisions("good.example")
    result = command_line.invoke(cli.main, ["reprocess", "good.example", "--from", stage])
    assert result.exit_code == 0, result.output
    deployment.wait_until(
        lambda: (
            deployment.revisions("good.example")
            == {url: revision + 1 for url, revision in before.items()}
        )
    )
    deployment.wait_for_outcomes()
    sent = {each["url"]: each["revision"] for each in deployment.take_articles()}
    assert sent == {url: revision + 1 for url, revision in before.items()}


@pytest.fixture
def command_line(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> Iterator[CliRunner]:
    """The command line, configured for the deployment."""
    for name, value in deployment.settings.environment().items():
        monkeypatch.setenv(name, value)
    load_settings.cache_clear()
    yield CliRunner()
    load_settings.cache_clear()


def test_reprocessing_an_unknown_site_is_an_error(command_line: CliRunner) -> None:
    result = command_line.invoke(cli.main, ["reprocess", "nowhere.example"])
    assert result.exit_code == 1
    assert "no page of site 'nowhere.example' is known" in result.output


@pytest.mark.usefixtures("articles")
def test_status_shows_groups_and_queues(command_line: CliRunner) -> None:
    result = command_line.invoke(cli.main, ["status", "good.example", "--json"])
    assert result.exit_code == 0, result.output
    status = json.loads(result.output)
    (site,) = status["sites"]
    assert site["groups"] == {"1": 6}
    assert site["outcomes"] == {"article": 6}
    assert any(name.endswith("crawler.pages") for name in status["queues"])


def test_a_redesign_in_the_middle_of_a_crawl_shows_in_status_and_metrics(
    deployment: Deployment, command_line: CliRunner
) -> None:
    crawl = sorted(generate(sites=[REDESIGNED]), key=lambda page: page.message["fetched_at"])
    designs = [page.gold["template_class"].split("/")[1] for page in crawl]
    first = designs.index("2023")
    for part, generation in (crawl[:first], 1), (crawl[first:], 2):
        deployment.publish(json.dumps(page.message).encode() for page in part)
        deployment.wait_until(lambda: generations(deployment) >= generation)  # noqa: B023
        deployment.wait_for_outcomes()
    assert generations(deployment) == 2
    shown = command_line.invoke(cli.main, ["status", REDESIGNED, "--json"])
    assert shown.exit_code == 0, shown.output
    status = json.loads(shown.output)
    (change,) = status["design_changes"]
    assert change["first_url"] == crawl[first].message["url"]
    present = {group["number"] for group in status["groups"] if group["size"]}
    assert present >= set(change["new_groups"])
    assert present >= set(change["gone_groups"])
    table = command_line.invoke(cli.main, ["status", REDESIGNED])
    assert f"design changed with {crawl[first].message['url']}" in table.output
    metrics = command_line.invoke(cli.main, ["metrics"])
    assert f'detourage_design_changes_total{{site="{REDESIGNED}"}} 1.0' in metrics.output


def generations(deployment: Deployment) -> int:
    return deployment.count(
        select(func.count())
        .select_from(Generation)
        .join(Site, Site.id == Generation.site_id)
        .where(Site.key == REDESIGNED)
    )


@pytest.mark.usefixtures("articles")
def test_metrics_are_served_until_told_to_stop(deployment: Deployment) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "worker.cli", "metrics", "--port", str(port)],
        env={**os.environ, **deployment.settings.environment()},
    )
    try:
        text = ""

        def answers() -> bool:
            nonlocal text
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as response:
                    text = response.read().decode()
            except urllib.error.URLError:
                return False
            return True

        deployment.wait_until(answers)
        process.terminate()
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
    assert 'detourage_pages{outcome="article"}' in text
    assert "detourage_queue_messages{queue=" in text
    served = set(re.findall(r"^(?:# TYPE )?(detourage_[a-z_]+)", text, re.MULTILINE))
    for reader in READERS:
        read = set(re.findall(r"detourage_[a-z_]+", reader.read_text()))
        assert read
        assert read <= served
    for queue, consumers in {"crawler.pages": 1, "detourage.extract": 1}.items():
        name = f"{deployment.settings.queue_prefix}{queue}"
        assert f'detourage_queue_consumers{{queue="{name}"}} {consumers}.0' in text
    assert "detourage_outbox_messages 0.0" in text
    assert 'detourage_oldest_seconds{work="extract"} 0.0' in text
    for work, number in {"intake": len(UNUSABLE), "detourage.extract": 6}.items():
        (counted,) = re.findall(rf'duration_seconds_count{{work="{work}"}} (.*)', text)
        assert float(counted) >= number


@pytest.mark.usefixtures("articles")
def test_every_log_line_is_json_and_says_what_it_is_about(deployment: Deployment) -> None:
    unusable = [line for line in deployment.logged("intake") if line["level"] == "warning"]
    assert len(unusable) >= len(UNUSABLE)
    assert all("message_id" in line for line in unusable)
    worker = deployment.logged("worker")
    assert {"celery.worker.strategy", "celery.app.trace"} <= {line["logger"] for line in worker}
    done = [
        line
        for line in worker
        if line.get("task") == "detourage.extract" and line["event"].endswith(": article")
    ]
    assert all(line["task_id"] and line["page_id"] for line in done)
    pages = {line["page"] for line in done if line.get("site") == "good.example"}
    assert pages == {f"https://good.example/a/{seed}" for seed in range(6)}
    for process in ("relay", "beat"):
        assert all(line["timestamp"] for line in deployment.logged(process))


def test_doctor_finds_a_healthy_deployment(command_line: CliRunner) -> None:
    result = command_line.invoke(cli.main, ["doctor"])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("process", ["intake", "relay", "worker", "beat"])
def test_health_sees_each_process(command_line: CliRunner, process: str) -> None:
    assert command_line.invoke(cli.main, ["health", process]).exit_code == 0


@pytest.mark.usefixtures("articles")
def test_quarantined_messages_can_be_listed_sent_back_and_dropped(
    deployment: Deployment, command_line: CliRunner
) -> None:
    listed = command_line.invoke(cli.main, ["quarantine", "list"])
    assert listed.exit_code == 0, listed.output
    lines = [line.split("\t") for line in listed.output.splitlines()]
    assert sorted(line[2] for line in lines) == sorted(UNUSABLE)
    message_id = next(line[1] for line in lines if line[2] == "no-url")

    before = deployment.receipts()
    sent_back = command_line.invoke(cli.main, ["quarantine", "requeue", message_id])
    assert sent_back.output == "1 messages sent back\n"
    deployment.wait_for_receipts(before + 1)
    deployment.wait_until(lambda: len(list(browse(deployment.settings, "intake"))) == len(UNUSABLE))

    dropped = command_line.invoke(cli.main, ["quarantine", "drop", "--yes", message_id])
    assert dropped.output == "1 messages dropped\n"
    shown = command_line.invoke(cli.main, ["quarantine", "show", message_id])
    assert shown.exit_code == 1


def test_largest_page_allowed_is_taken(deployment: Deployment) -> None:
    before = deployment.receipts()
    filler = "<!--" + "x" * (MAX_HTML_BYTES - 20_000) + "-->"
    deployment.publish([message("https://large.example/a", article_html(1) + filler)])
    deployment.wait_for_receipts(before + 1)
    deployment.wait_for_outcomes()
    assert outcomes(deployment)["https://large.example/a"] == "article"
