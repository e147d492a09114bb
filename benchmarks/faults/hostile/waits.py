"""Waiting times of good pages for their articles."""

import base64
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from examples.sample_crawl import all_sites, generate
from tests.deployment import Deployment

ARTICLES_PER_ROUND = 12  # number of articles in the sample crawl if it has one page per template


@dataclass(frozen=True)
class GoodPage:
    """A page whose article must be delivered, with the paragraphs of its text."""

    url: str
    message_id: str
    body: bytes
    paragraphs: Sequence[str]

    def is_in(self, text: str) -> bool:
        """Return whether a text contains at least half of the page's paragraphs."""
        compact_text = "".join(text.split())
        compact_paragraphs = ["".join(each.split()) for each in self.paragraphs]
        return 2 * sum(each in compact_text for each in compact_paragraphs) >= len(
            compact_paragraphs
        )


def good_pages(prefix: str, number: int, seed: int) -> list[GoodPage]:
    """Return shuffled articles of the sample crawl, on sites whose names have the given prefix."""
    rounds = -(-number // ARTICLES_PER_ROUND)
    pages = []
    for page in generate(seed=seed, pages_per_template=rounds):
        if page.gold["kind"] != "article":
            continue
        html = base64.b64decode(page.message["html_base64"])
        values = json.dumps({**page.message, "html_base64": ""})
        for site in all_sites():
            html = html.replace(site.encode(), f"{prefix}-{site}".encode())
            values = values.replace(site, f"{prefix}-{site}")
        message = json.loads(values) | {"html_base64": base64.b64encode(html).decode()}
        body = json.dumps(message).encode()
        paragraphs = [each for each in page.gold["text"].split("\n") if each]
        pages.append(GoodPage(message["url"], message["id"], body, paragraphs))
    Random(seed).shuffle(pages)
    return pages[:number]


def percentile(values: Sequence[float], percent: int) -> float:
    """Return a percentile of the given values; 0 if there are no values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else 0.0


@dataclass
class Phase:
    """A period in which good pages are sent evenly, with or without hostile pages.

    `seconds` is the time until all work is done. `waits` has, separately for known and new sites,
    the seconds that good pages waited for their first articles. A page of a new site is sent before
    the site has an article, and waits for the site's first clustering.
    """

    name: str
    good: int
    hostile: int
    sending_seconds: float = 0.0
    seconds: float = 0.0
    waits: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def compute_waits(self, arrivals: Sequence[tuple[str, float, float]]) -> None:
        """Compute the waits of pages from their hosts and the times of publication and arrival."""
        first_arrival: dict[str, float] = {}
        for host, _, came_at in arrivals:
            first_arrival[host] = min(came_at, first_arrival.get(host, came_at))
        self.waits = {
            name: [
                came_at - sent_at
                for host, sent_at, came_at in arrivals
                if (sent_at < first_arrival[host]) == is_new
            ]
            for name, is_new in (("known sites", False), ("new sites", True))
        }

    @property
    def spreads(self) -> Mapping[str, tuple[float, float, float]]:
        """Median, 95th percentile and maximum of the waits of each kind."""
        return {
            name: (percentile(waits, 50), percentile(waits, 95), max(waits, default=0.0))
            for name, waits in self.waits.items()
        }


class Consumer:
    """Consumer of the articles of a deployment, which receives them as they arrive.

    `articles` contains the articles without long texts and other fields that no check uses.
    `came_at` is the arrival time of the first article of each URL.
    """

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self.articles: list[Mapping[str, Any]] = []
        self.came_at: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._consume, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.stop()

    def stop(self) -> None:
        """Consume the remaining articles, then stop."""
        self._stop.set()
        self._thread.join()

    def _consume(self) -> None:
        """Receive articles until the consumer is stopped and the queue is empty."""
        queue = self._deployment.topology.articles_queue
        with self._deployment.amqp() as connection, connection.channel() as channel:
            while True:
                message = channel.basic_get(queue)
                if message is not None:
                    self._keep_article(json.loads(message.body))
                    channel.basic_ack(message.delivery_tag)
                elif self._stop.wait(0.02):
                    return

    def _keep_article(self, article: Mapping[str, Any]) -> None:
        """Record an article's time of arrival, and the fields that are checked later."""
        self.came_at.setdefault(article["url"], time.monotonic())
        kept_fields = ("id", "site", "url", "revision", "text")
        # The texts of crowd pages are long, and no check needs them.
        is_large = len(article["text"]) > 100_000
        self.articles.append(
            {key: "" if key == "text" and is_large else article[key] for key in kept_fields}
        )
