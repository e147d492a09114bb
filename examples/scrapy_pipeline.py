"""A Scrapy item pipeline that publishes page messages.

Copy this file to a Scrapy project, and add to its settings, or to a spider's ``custom_settings``::

    ITEM_PIPELINES = {"scrapy_pipeline.PagePipeline": 900}
    DETOURAGE_BROKER_URL = "amqp://…"

and in the spider, ``yield page_item(response)``.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from kombu import Producer
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from detourage.inputs.new_messages import page_message
from worker.messaging.publishing import publish_when_accepted
from worker.messaging.topology import Topology
from worker.messaging.transport import BrokerConnection, tls_options

PAGE = "detourage_page"
"""Key that marks the items to publish; all other items are passed on unchanged."""


def page_item(response: Response, identifier: str | None = None) -> dict[str, Any]:
    """Return an item that contains the page message for a response.

    `identifier` is the crawler's own ID for the page, included in the article message as
    ``page_id``.
    """
    headers = response.headers.to_unicode_dict()
    message = page_message(
        url=response.url,
        identifier=identifier or str(uuid4()),
        content=response.body,
        content_type=headers.get("content-type"),
        fetched_at=datetime.now(UTC).isoformat(),
        status=response.status if 100 <= response.status <= 599 else None,
        headers=headers,
    )
    return {PAGE: message}


class PagePipeline:
    """Pipeline that publishes page items, and waits until the broker has confirmed each.

    While the broker is unavailable or its queue is full, the crawl is blocked, so that no page is
    lost. `queue_prefix` and `ca_file` correspond to the settings ``DETOURAGE_QUEUE_PREFIX`` and
    ``DETOURAGE_BROKER_CA_FILE``.
    """

    def __init__(
        self, broker_url: str, queue_prefix: str = "", ca_file: Path | None = None
    ) -> None:
        self._topology = Topology(prefix=queue_prefix, durable_features=True)
        self._connection = BrokerConnection(
            broker_url,
            ssl=tls_options(broker_url, ca_file) or False,
            transport_options={"confirm_publish": True},
        )
        self._producer: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the pipeline from Scrapy's settings; raise NotConfigured without a broker URL."""
        broker_url = crawler.settings.get("DETOURAGE_BROKER_URL")
        if not broker_url:
            raise NotConfigured("DETOURAGE_BROKER_URL is not set")
        ca_file = crawler.settings.get("DETOURAGE_BROKER_CA_FILE")
        return cls(
            broker_url,
            crawler.settings.get("DETOURAGE_QUEUE_PREFIX", ""),
            Path(ca_file) if ca_file else None,
        )

    def open_spider(self) -> None:
        """Declare the queues if the broker user may do so; otherwise, they must exist."""
        self._connection.ensure_connection()
        self._topology.declare_for_crawler(self._connection)
        self._producer = Producer(self._connection)

    def close_spider(self) -> None:
        """Close the connection to the broker."""
        self._connection.release()

    def process_item(self, item: Any) -> Any:
        """Publish the page message in an item, if there is one; return the item."""
        message = item.get(PAGE) if isinstance(item, dict) else None
        if message is not None:
            exchange, routing_key = self._topology.pages_address
            publish_when_accepted(
                self._producer,
                message,
                exchange=exchange,
                routing_key=routing_key,
                message_id=str(uuid4()),
                content_type="application/json",
                content_encoding="utf-8",
                delivery_mode=2,
                retry=True,
                retry_policy={"max_retries": None, "interval_max": 5},
            )
        return item
