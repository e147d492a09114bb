"""An entity recogniser for Détourage's articles that never loses an article or processes one twice.

    python examples/recognise.py amqp://guest:guest@127.0.0.1// entities.sqlite

The recognition is a toy (runs of capitalised words). The consumption is production-grade:

- an article is acknowledged after its result is on disk, so it is redelivered if the process dies
  before that;
- the id of the article is a primary key, so redelivery has no effect;
- the highest revision of a page wins, regardless of the order of arrival and of the URL from which
  it was fetched;
- the prefetch count bounds memory and leaves articles for other consumers;
- an unreadable message is moved to a separate queue, where it blocks no other messages.
"""

import argparse
import json
import re
import signal
import sqlite3
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kombu import Connection, Exchange, Message, Queue
from kombu.mixins import ConsumerMixin

PREFETCH = 20  # maximum number of articles that are delivered but not yet acknowledged
NAME = re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)+")  # such as "Marie Curie"

SCHEMA = """
CREATE TABLE IF NOT EXISTS articles (
    id TEXT PRIMARY KEY, site TEXT NOT NULL, url TEXT NOT NULL, revision INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS pages (
    site TEXT, url TEXT, revision INTEGER NOT NULL, entities TEXT NOT NULL,
    PRIMARY KEY (site, url)
);
"""


class Recogniser(ConsumerMixin):  # type: ignore[misc]
    """Consumer that writes the names in articles to a database."""

    def __init__(
        self,
        broker_url: str,
        database: Path,
        queue: str,
        ca_file: Path | None = None,
    ) -> None:
        # Without these options, the library does not verify the host name.
        tls = {
            "cert_reqs": ssl.CERT_REQUIRED,
            "ca_certs": str(ca_file) if ca_file else None,
            "server_hostname": urlsplit(broker_url).hostname,
        }
        self.connection = Connection(
            broker_url,
            heartbeat=60,
            ssl=tls if broker_url.startswith("amqps:") else False,
            transport_options={"confirm_publish": True},
        )
        self._database = sqlite3.connect(database)
        self._database.executescript(SCHEMA)
        self._queue = queue
        # The default exchange is not used, because permission to publish to it extends to every
        # queue.
        self._unreadable = Exchange(f"{queue}.unreadable", type="fanout", durable=True)

    def get_consumers(self, consumer_class: Any, channel: Any) -> list[Any]:
        """Return the consumer of the queue, which the service has declared."""
        Queue(self._unreadable.name, self._unreadable, channel=channel, durable=True).declare()
        consumer = consumer_class(
            [Queue(self._queue, no_declare=True)], on_message=self.take, auto_declare=False
        )
        consumer.qos(prefetch_count=PREFETCH)
        return [consumer]

    def take(self, message: Message) -> None:
        """Process one article, and acknowledge it after the commit."""
        try:
            article = json.loads(message.body)
            address = article.get("canonical") or article["url"]
            key = article["id"], article["site"], address, int(article["revision"])
            variants = list(article.get("variants") or ())
            text = str(article["text"])
        except (ValueError, KeyError, TypeError):
            with self.connection.Producer() as producer:
                producer.publish(message.body, exchange=self._unreadable.name, routing_key="")
        else:
            entities = sorted(set(NAME.findall(text)))
            self._write(key, variants, entities)
        message.ack()

    def _write(
        self, key: tuple[str, str, str, int], variants: list[str], entities: list[str]
    ) -> None:
        with self._database:
            article_id, site, url, revision = key
            same = self._database.execute("SELECT 1 FROM articles WHERE id = ?", (article_id,))
            if same.fetchone():
                return
            self._database.execute("INSERT INTO articles VALUES (?, ?, ?, ?)", key)
            self._database.execute(
                "INSERT INTO pages VALUES (?, ?, ?, ?) ON CONFLICT (site, url) DO UPDATE SET"
                " revision = excluded.revision, entities = excluded.entities"
                " WHERE excluded.revision > pages.revision",
                (site, url, revision, json.dumps(entities, ensure_ascii=False)),
            )
            # These pages used to be separate, but their URLs turned out to be variants of this
            # page's URL.
            self._database.executemany(
                "DELETE FROM pages WHERE site = ? AND url = ? AND revision < ?",
                [(site, variant, revision) for variant in variants],
            )


def main() -> None:
    """Run until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(description="Recognise names in articles.")
    parser.add_argument("broker", help="AMQP URL")
    parser.add_argument("database", type=Path, help="SQLite file")
    parser.add_argument("--queue", default="entities.articles")
    parser.add_argument("--ca-file", type=Path, help="CA file for amqps:// (PEM)")
    arguments = parser.parse_args()
    recogniser = Recogniser(
        arguments.broker,
        arguments.database,
        arguments.queue,
        arguments.ca_file,
    )

    def stop(*_: object) -> None:
        recogniser.should_stop = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    recogniser.run()


if __name__ == "__main__":
    main()
