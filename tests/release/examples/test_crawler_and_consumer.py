"""A real crawl with Scrapy sends pages, and the example recogniser consumes articles."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from kombu import Producer

from detourage.messages import PageMessage
from examples.sample_crawl import generate
from tests.waiting import wait_until
from tests.web import serving
from worker.messaging.broker import connect, messages_waiting, topology_of
from worker.settings import Settings

ROOT = Path(__file__).parents[3]

SPIDER = """
import scrapy
from scrapy_pipeline import page_item

class Spider(scrapy.Spider):
    name = "paper"
    custom_settings = {"ITEM_PIPELINES": {"scrapy_pipeline.PagePipeline": 900}}

    def __init__(self, start):
        self.start_urls = [start]

    def parse(self, response):
        for address in response.css("a.story::attr(href)").getall():
            yield response.follow(address, self.parse_story)
        yield {"what": "an item of another kind"}

    def parse_story(self, response):
        yield page_item(response, identifier=response.url.rsplit("/", 1)[-1])
"""


@pytest.fixture
def stories() -> dict[str, bytes]:
    """The pages of one site of the sample crawl, by path."""
    crawl = generate(sites=["courrier-du-val.example"])
    messages = [PageMessage.model_validate(page.message) for page in crawl]
    return {f"/story-{n}": bytes_of(each) for n, each in enumerate(messages)}


def bytes_of(message: PageMessage) -> bytes:
    content = message.content
    return content.encode() if isinstance(content, str) else content


@pytest.fixture
def address(stories: dict[str, bytes]) -> Iterator[str]:
    """URL of a loopback server that serves the stories and a list of links to them."""
    links = "".join(f"<a class=story href={path}>{path}</a>" for path in stories)
    pages = {"/": f"<html><body>{links}</body></html>".encode(), **stories}

    def answer(path: str) -> tuple[str, bytes] | None:
        return ("text/html", pages[path]) if path in pages else None

    with serving(answer) as root:
        yield f"{root}/"


def drain(settings: Settings, queue: str) -> list[bytes]:
    bodies = []
    with connect(settings) as connection, connection.channel() as channel:
        while (message := channel.basic_get(queue)) is not None:
            bodies.append(message.body.encode() if isinstance(message.body, str) else message.body)
            channel.basic_ack(message.delivery_tag)
    return bodies


def test_a_crawl_by_scrapy_becomes_page_messages(
    settings_with_queues: Settings, stories: dict[str, bytes], address: str, tmp_path: Path
) -> None:
    spider = tmp_path / "spider.py"
    spider.write_text(SPIDER)
    crawl = subprocess.run(
        [
            *(sys.executable, "-m", "scrapy", "runspider", spider, "-a", f"start={address}"),
            *("-s", f"DETOURAGE_BROKER_URL={settings_with_queues.require_broker_url()}"),
            *("-s", f"DETOURAGE_QUEUE_PREFIX={settings_with_queues.queue_prefix}"),
            *("-s", "LOG_LEVEL=WARNING", "-s", "TELNETCONSOLE_ENABLED=False"),
        ],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'examples'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (crawl.returncode, crawl.stderr) == (0, "")
    bodies = drain(settings_with_queues, topology_of(settings_with_queues).pages)
    messages = [PageMessage.model_validate_json(body) for body in bodies]
    assert len(messages) == len(stories)
    assert {f"/{each.id}": bytes_of(each) for each in messages} == stories


def article(number: int, revision: int = 1) -> dict[str, Any]:
    return {
        "id": f"{number}-{revision}",
        "site": "news.example",
        "url": f"https://news.example/{number}",
        "revision": revision,
        "text": f"Yesterday Jane Doe met Revision {revision}ish Roe in New York.",
    }


@contextmanager
def recogniser(settings: Settings, database: Path) -> Iterator[subprocess.Popen[bytes]]:
    queue = topology_of(settings).articles_queue
    command = [sys.executable, "examples/recognise.py", settings.require_broker_url()]
    process = subprocess.Popen([*command, str(database), "--queue", queue], cwd=ROOT)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def rows_of(database: Path, table: str) -> int:
    """Return the number of rows of a table of the recogniser, 0 before the table exists."""
    if not database.exists():
        return 0
    with closing(sqlite3.connect(database)) as connection:
        try:
            return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def test_the_recogniser_processes_each_article_exactly_once(
    settings_with_queues: Settings, tmp_path: Path
) -> None:
    database = tmp_path / "entities.sqlite"
    queue = topology_of(settings_with_queues).articles_queue
    sent = [article(n) for n in range(300)] + [article(n, 2) for n in range(100)]
    bodies = [json.dumps(each).encode() for each in reversed(sent)] * 2
    with connect(settings_with_queues) as connection:
        producer = Producer(connection, routing_key=queue)
        for body in [*bodies, b"{no json", b'{"id": "7"}']:
            producer.publish(body, content_type="application/json", delivery_mode=2)
    for killed_at in (50, 150):
        with recogniser(settings_with_queues, database) as process:
            wait_until(lambda: rows_of(database, "articles") >= killed_at)  # noqa: B023
            process.kill()
    with recogniser(settings_with_queues, database) as process:
        wait_until(lambda: rows_of(database, "articles") == len(sent))
        wait_until(lambda: messages_waiting(settings_with_queues, queue) == 0)
        process.terminate()
        assert process.wait() == 0
    assert messages_waiting(settings_with_queues, queue) == 0
    assert rows_of(database, "articles") == len(sent)
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT url, revision, entities FROM pages").fetchall()
    revisions = {url: revision for url, revision, _ in rows}
    assert revisions == {f"https://news.example/{n}": 2 if n < 100 else 1 for n in range(300)}
    assert all("Yesterday Jane Doe" in entities and "New York" in entities for *_, entities in rows)
    assert set(drain(settings_with_queues, f"{queue}.unreadable")) == {b"{no json", b'{"id": "7"}'}
