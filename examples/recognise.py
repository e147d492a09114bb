"""An entity recogniser behind Détourage: it loses no article, and takes none for two.

    python examples/recognise.py amqp://guest:guest@127.0.0.1// entities.sqlite

What it recognises is a toy (runs of capitalised words). How it takes articles is not:

- it acknowledges an article after what it found is on the disk, so one that is in hand when the
  process dies comes again;
- the article's id is a primary key, so one that comes again changes nothing;
- of a page the highest revision stands, in whatever order they come, and whichever of its
  addresses it was fetched under;
- it holds some articles at a time, so that memory is bounded and others can work beside it;
- a message that it cannot read goes aside into a queue of its own, and holds nothing up.
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

PREFETCH = 20
NAME = re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)+")

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
    """Takes articles from a queue, and writes the names in them into a database."""

    def __init__(
        self, broker_url: str, database: Path, queue: str, ca_file: Path | None = None
    ) -> None:
        # Without these the library does not verify the host's name.
        verified = {
            "cert_reqs": ssl.CERT_REQUIRED,
            "ca_certs": str(ca_file) if ca_file else None,
            "server_hostname": urlsplit(broker_url).hostname,
        }
        self.connection = Connection(
            broker_url,
            heartbeat=60,
            ssl=verified if broker_url.startswith("amqps:") else False,
            transport_options={"confirm_publish": True},
        )
        self._database = sqlite3.connect(database)
        self._database.executescript(SCHEMA)
        self._queue = queue
        # Not by the default exchange: who may write there may write on every queue.
        self._unreadable = Exchange(f"{queue}.unreadable", type="fanout", durable=True)

    def get_consumers(self, consumer_class: Any, channel: Any) -> list[Any]:
        """Return the consumer; the service has declared the queue."""
        Queue(self._unreadable.name, self._unreadable, channel=channel, durable=True).declare()
        consumer = consumer_class(
            [Queue(self._queue, no_declare=True)], on_message=self.take, auto_declare=False
        )
        consumer.qos(prefetch_count=PREFETCH)
        return [consumer]

    def take(self, message: Message) -> None:
        """Deal with one article, and acknowledge it when all is written."""
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
            self._write(key, variants, sorted(set(NAME.findall(text))))
        message.ack()

    def _write(
        self, key: tuple[str, str, str, int], variants: list[str], entities: list[str]
    ) -> None:
        with self._database:
            known = self._database.execute("SELECT 1 FROM articles WHERE id = ?", key[:1])
            if known.fetchone():
                return
            self._database.execute("INSERT INTO articles VALUES (?, ?, ?, ?)", key)
            self._database.execute(
                "INSERT INTO pages VALUES (?, ?, ?, ?) ON CONFLICT (site, url) DO UPDATE SET"
                " revision = excluded.revision, entities = excluded.entities"
                " WHERE excluded.revision > pages.revision",
                (*key[1:], json.dumps(entities, ensure_ascii=False)),
            )
            # What was a page of its own until it turned out to be an address of this one.
            self._database.executemany(
                "DELETE FROM pages WHERE site = ? AND url = ? AND revision < ?",
                [(key[1], variant, key[3]) for variant in variants],
            )


def main() -> None:
    """Run until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(description="Recognise names in articles.")
    parser.add_argument("broker", help="AMQP URL")
    parser.add_argument("database", type=Path, help="SQLite file")
    parser.add_argument("--queue", default="entities.articles")
    parser.add_argument("--ca-file", type=Path, help="authorities that amqps:// trusts (PEM)")
    arguments = parser.parse_args()
    recogniser = Recogniser(
        arguments.broker, arguments.database, arguments.queue, arguments.ca_file
    )

    def stop(*_: object) -> None:
        recogniser.should_stop = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    recogniser.run()


if __name__ == "__main__":
    main()
