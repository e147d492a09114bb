"""The process that consumes articles, groups them into stories, and publishes story messages."""

import json
import logging
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from types import FrameType
from typing import Any, NamedTuple
from uuid import UUID

from amqp.exceptions import MessageNacked
from kombu import Connection, Exchange, Message, Producer, Queue
from kombu.mixins import ConsumerMixin
from pydantic import ValidationError
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from detourage.limits import MAX_MESSAGE_BYTES
from stories import outbox, store
from stories.broker import connection_to, publish
from stories.heartbeat import Heartbeat
from stories.index import group, remove_old, sweep
from stories.messages import Article, routing_key
from stories.settings import Settings

logger = logging.getLogger(__name__)

PREFETCH = 32
"""Maximum number of unacknowledged messages, which are grouped in one transaction if they arrive
together."""

GATHER_SECONDS = 0.01
"""Time to wait for each further message to group in the same transaction."""

PAUSE_SECONDS = 1.0
"""Interval at which an idle process looks for due corrections, and time before a failed attempt is
repeated."""

CLEANING_SECONDS = 60.0
"""Interval at which old stories are removed."""

DELIVERY_LIMIT = 10
"""Number of redeliveries of a message, such as one that kills its consumer, after which the queue
moves it to quarantine."""


class Topology:
    """The exchanges and queues of the stories, and the exchange of articles."""

    def __init__(self, prefix: str) -> None:
        self.articles = Exchange(f"{prefix}articles", type="topic")
        self.stories = Exchange(f"{prefix}stories", type="topic")
        """Exchange of story messages, with routing keys ``<relation or first>.<language>.<site>``.
        """
        self.first = Exchange(f"{prefix}stories.first", type="topic")
        """Exchange of the articles that repeat no other, with the routing keys of ``articles``."""
        self.quarantine = Queue(
            f"{prefix}stories.articles.quarantine", queue_arguments={"x-queue-type": "quorum"}
        )
        self.queue = Queue(
            f"{prefix}stories.articles",
            exchange=self.articles,
            routing_key="#",
            queue_arguments={
                "x-queue-type": "quorum",
                # Only one process can group articles at a time; any others are on standby.
                "x-single-active-consumer": True,
                "x-delivery-limit": DELIVERY_LIMIT,
                "x-dead-letter-exchange": "",
                "x-dead-letter-routing-key": self.quarantine.name,
                "x-dead-letter-strategy": "at-least-once",
                "x-overflow": "reject-publish",
            },
        )

    def declare(self, connection: Connection) -> None:
        """Declare the exchanges and queues; this has no effect if they exist."""
        with connection.channel() as channel:
            for each in (self.stories, self.first, self.quarantine, self.queue):
                each(channel).declare()


class Ungrouped(NamedTuple):
    """IDs of articles that were not grouped.

    Those in `later` wait for another revision of the article; those in `broken` caused an error.
    """

    later: set[UUID]
    broken: dict[UUID, Exception]


def group_articles(
    engine: Engine, messages: Iterable[Mapping[str, Any]], window: timedelta
) -> Ungrouped:
    """Group articles, given as their messages, and compose the messages about them.

    Only one revision of an article is grouped at a time. A bug triggered by one article does not
    affect the others.
    """
    articles = [(Article.model_validate(each), each) for each in messages]
    grouped_pages: set[int] = set()
    ungrouped = Ungrouped(set(), {})
    with store.lock_stories(engine) as connection:
        pages = store.pages_of(connection, [article.id for article, _ in articles])
        for article, values in articles:
            page = pages.get(article.id)
            if page is None:
                logger.info("skipped article %s, which is no longer stored", article.id)
            elif page in grouped_pages:
                ungrouped.later.add(article.id)
            else:
                grouped_pages.add(page)
                try:
                    with connection.begin_nested():
                        changes = store.changes_of(connection, page, article, values)
                        group(connection, page, article, changes, window)
                except Exception as error:
                    if isinstance(error, DBAPIError) and store.is_transient(error):
                        raise
                    logger.exception("cannot group article %s: quarantining it", article.id)
                    ungrouped.broken[article.id] = error
        outbox.compose_due(connection)
    return ungrouped


class StoriesWorker(ConsumerMixin):
    """The consumer of article messages.

    A message is acknowledged once its article is grouped and the broker has confirmed the resulting
    messages. While the database or the broker is unavailable, messages wait. An unusable message is
    moved to the quarantine queue.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._window = timedelta(days=settings.stories_days)
        self._topology = Topology(settings.queue_prefix)
        self._engine = store.engine_of(settings.psycopg2_url)
        self._heartbeat = Heartbeat(settings.heartbeat_directory)
        self._connection: Connection | None = None
        self._producer: Producer | None = None
        self._waiting: list[Message] = []
        self._next_maintenance = self._next_cleaning = 0.0
        self._swept_to = 0
        # Never opened. `ConsumerMixin` only asks it which exceptions are connection errors.
        self.connection = connection_to(settings, settings.broker_nodes[0])

    def run_until_signalled(self) -> None:
        """Consume until SIGTERM or SIGINT; unacknowledged messages are redelivered."""

        def stop(_number: int, _frame: FrameType | None) -> None:
            self.should_stop = True

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        while not self.should_stop:
            try:
                store.require_current(self._engine)
                break
            except DBAPIError as error:
                self._wait(error)
        logger.info("the stories process started")
        self.run()
        self._engine.dispose()

    @contextmanager
    def establish_connection(self) -> Iterator[Connection]:
        """Connect to the first node that responds, however long it takes; declare the queues."""
        self._waiting.clear()
        while not self.should_stop:
            for node in self._settings.broker_nodes:
                with connection_to(self._settings, node) as connection:
                    try:
                        connection.connect()
                    except connection.connection_errors as error:
                        logger.warning("waiting for the broker: %s", _cause(error))
                        continue
                    self._topology.declare(connection)
                    self._connection = connection
                    self._producer = Producer(connection.channel())
                    yield connection
                    return
            time.sleep(PAUSE_SECONDS)
        raise SystemExit(0)

    def get_consumers(self, consumer_class: Any, _channel: Any) -> list[Any]:
        """Return the single consumer, with a bounded prefetch."""
        return [
            consumer_class(
                queues=[self._topology.queue],
                on_message=self._waiting.append,
                on_decode_error=_reject,
                prefetch_count=PREFETCH,
                auto_declare=False,
            )
        ]

    def on_iteration(self) -> None:
        """Process received messages or, if there are none, do maintenance once per interval."""
        now = time.monotonic()
        if now < self._next_maintenance and not self._waiting:
            return
        try:
            if self._waiting:
                self._gather()
                self._process()
            else:
                self._maintain(now)
            self._next_maintenance = now + PAUSE_SECONDS
        except DBAPIError as error:
            if not store.is_transient(error):
                raise
            self._wait(error)
        except MessageNacked:
            logger.warning("waiting until a full queue of story messages accepts messages again")
            time.sleep(PAUSE_SECONDS)

    def _wait(self, error: DBAPIError) -> None:
        """Pause before another attempt, or raise an error that another attempt would not avoid."""
        if not store.is_transient(error):
            raise error
        logger.warning("waiting for the database: %s", _cause(error))
        time.sleep(PAUSE_SECONDS)

    def _gather(self) -> None:
        """Receive further messages that arrive within `GATHER_SECONDS`, up to the prefetch."""
        while self._connection is not None and len(self._waiting) < PREFETCH:
            try:
                self._connection.drain_events(timeout=GATHER_SECONDS)
            except TimeoutError:
                return

    def _process(self) -> None:
        """Group the articles received, publish the messages about them, and acknowledge them.

        No article is grouped while messages about earlier articles are unpublished, because it
        could replace these messages. Several revisions of an article are grouped in succession.
        """
        self._publish({})
        read: dict[UUID, tuple[Message, dict[str, Any]]] = {}
        for message in self._waiting[:]:
            try:
                article, values = _read(message)
                if article.id in read:
                    continue
                read[article.id] = message, values
            except ValueError as error:
                self._quarantine(message, error)
        if not read:
            return
        articles = [values for _, values in read.values()]
        ungrouped = group_articles(self._engine, articles, self._window)
        self._publish({article: message.body for article, (message, _) in read.items()})
        for article_id, (message, _) in read.items():
            if article_id in ungrouped.broken:
                self._quarantine(message, ungrouped.broken[article_id])
            elif article_id not in ungrouped.later:
                message.ack()
                self._waiting.remove(message)
        self._heartbeat.confirm()

    def _quarantine(self, message: Message, error: Exception) -> None:
        logger.warning("message quarantined: %s", _cause(error))
        message.reject()
        self._waiting.remove(message)

    def _publish(self, bodies: dict[UUID, Any]) -> None:
        """Publish all pending story messages, and forward articles that are not repeats.

        An article is forwarded unchanged, from `bodies` or else from the store.
        """
        while True:
            with self._engine.begin() as connection:
                rows = outbox.lock_pending(connection)
                for row in rows:
                    message = row.pending
                    language, relation = row.language or "und", message["relation"] or "first"
                    key = routing_key(relation, language, row.site)
                    body = json.dumps(message, ensure_ascii=False)
                    publish(self._producer, self._topology.stories, key, message["id"], body)
                    if row.must_forward:
                        article = bodies.get(row.article_id)
                        if article is None:
                            stored = store.stored_message(connection, row.article_id)
                            article = json.dumps(stored, ensure_ascii=False) if stored else None
                        key, article_id = routing_key(language, row.site), str(row.article_id)
                        if article is not None:
                            publish(self._producer, self._topology.first, key, article_id, article)
                outbox.note_published(connection, [row.page for row in rows])
            if len(rows) < outbox.MAX_MESSAGES:
                return

    def _maintain(self, now: float) -> None:
        """Publish due corrections, remove old data, and confirm that the servers respond."""
        self._publish({})
        with store.lock_stories(self._engine) as connection:
            outbox.compose_due(connection)
            if now >= self._next_cleaning:
                self._next_cleaning = now + CLEANING_SECONDS
                remove_old(connection, self._window)
                self._swept_to = sweep(connection, self._swept_to)
        self._publish({})
        if self._connection is not None and self._heartbeat.is_due:
            # A passive declaration is a round trip to the broker.
            with self._connection.channel() as channel:
                channel.queue_declare(self._topology.queue.name, passive=True)
            self._heartbeat.confirm()


def _read(message: Message) -> tuple[Article, dict[str, Any]]:
    """Return an article message; raise `ValueError` if it is not one."""
    body = message.body
    if len(body) > MAX_MESSAGE_BYTES:
        raise ValueError(f"the message has {len(body)} bytes, more than {MAX_MESSAGE_BYTES}")
    try:
        values = json.loads(body)
        return Article.model_validate(values), values
    except (ValidationError, RecursionError) as error:
        raise ValueError(f"not an article message: {error}") from error


def _reject(message: Message, error: Exception) -> None:
    logger.warning("message quarantined: %s", _cause(error))
    message.reject()


def _cause(error: BaseException) -> str:
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return f"{type(error).__name__}: {' '.join(lines)[:500]}"
