"""All exchanges and queues; no other module declares any.

If a queue is declared again with different arguments, publishers and consumers fail with 406
PRECONDITION_FAILED.
"""

from dataclasses import dataclass
from typing import Final

from amqp.exceptions import AccessRefused
from kombu import Connection, Exchange, Queue

from worker.messaging.task_names import STAGES

FEEDBACK: Final = "feedback"
"""Stage of messages with feedback on articles."""

DELIVERY_LIMIT = 5
"""Maximum number of redeliveries of a message, such as one that kills its consumer, before quorum
queues move it to quarantine."""


@dataclass(frozen=True)
class Topology:
    """Names and declarations of the exchanges and queues.

    All names begin with ``prefix``, so that deployments can share a broker. ``durable_features``
    are quorum queues, dead-lettering and bounded redelivery, which the embedded broker lacks.
    """

    prefix: str
    durable_features: bool

    @property
    def pages(self) -> str:
        """Queue of page messages from crawlers."""
        return f"{self.prefix}crawler.pages"

    @property
    def pages_exchange(self) -> Exchange:
        """Exchange of page messages, so that crawlers need no permission for the default exchange.

        Through the default exchange, they could publish to any queue.
        """
        return Exchange(self.pages, type="fanout", durable=True)

    @property
    def pages_address(self) -> tuple[str, str]:
        """Exchange and routing key of page messages."""
        return (self.pages_exchange.name if self.durable_features else "", self.pages)

    @property
    def articles_exchange(self) -> Exchange:
        """Topic exchange of article messages, with routing keys ``<language or und>.<site>``."""
        return Exchange(f"{self.prefix}articles", type="topic", durable=True)

    @property
    def repeats_exchange(self) -> Exchange:
        """Topic exchange of articles that repeat other articles, if they are sent separately."""
        return Exchange(f"{self.articles_exchange.name}.repeats", type="topic", durable=True)

    @property
    def changes_exchange(self) -> Exchange:
        """Topic exchange of the changes to articles, if they are sent instead of revisions."""
        return Exchange(f"{self.articles_exchange.name}.changes", type="topic", durable=True)

    @property
    def feedback(self) -> str:
        """Queue of feedback from the entity recognition service."""
        return f"{self.prefix}entities.feedback"

    @property
    def feedback_exchange(self) -> Exchange:
        """Exchange of feedback, for the same reason as `pages_exchange`."""
        return Exchange(self.feedback, type="fanout", durable=True)

    @property
    def links_exchange(self) -> Exchange:
        """Topic exchange of page links, if enabled, with routing keys ``<kind>.<site>``."""
        return Exchange(f"{self.prefix}links", type="topic", durable=True)

    @property
    def tasks_exchange(self) -> Exchange:
        """Exchange of Celery tasks; delayed tasks of quorum queues require a topic exchange."""
        return Exchange(f"{self.prefix}detourage.tasks", type="topic", durable=True)

    def task_queue(self, stage: str) -> str:
        """Return the queue of a stage."""
        return f"{self.prefix}detourage.{stage}"

    @staticmethod
    def quarantine_of(queue: str) -> str:
        """Return the quarantine queue of a queue."""
        return f"{queue}.quarantine"

    @property
    def sources(self) -> dict[str, str]:
        """Queues consumed by the service, by stage: ``intake``, task stages and ``feedback``."""
        stages = {stage: self.task_queue(stage) for stage in STAGES}
        return {"intake": self.pages, **stages, FEEDBACK: self.feedback}

    @property
    def quarantines(self) -> dict[str, str]:
        """Quarantine queues, by stage as in `sources`."""
        return {stage: self.quarantine_of(queue) for stage, queue in self.sources.items()}

    @property
    def work_queues(self) -> list[str]:
        """Work queues, in the order in which pages pass through them."""
        tasks = (self.task_queue(stage) for stage in STAGES)
        return [self.pages, *tasks, self.articles_queue, self.feedback]

    @property
    def articles_queue(self) -> str:
        """Queue of the entity recognition service, bound to the articles exchange by default."""
        return f"{self.prefix}entities.articles"

    @property
    def repeats_queue(self) -> str:
        """Queue of the entity recognition service, bound to the repeats exchange."""
        return f"{self.prefix}entities.repeats"

    @property
    def changes_queue(self) -> str:
        """Queue of the entity recognition service, bound to the changes exchange."""
        return f"{self.prefix}entities.changes"

    @property
    def links_queue(self) -> str:
        """Queue of page links for the crawler, bound to the links exchange."""
        return f"{self.prefix}crawler.links"

    @property
    def outgoing(self) -> dict[str, Exchange]:
        """Queues filled for other services, each with the exchange to which it is bound."""
        return {
            self.articles_queue: self.articles_exchange,
            self.repeats_queue: self.repeats_exchange,
            self.changes_queue: self.changes_exchange,
            self.links_queue: self.links_exchange,
        }

    def celery_queues(self) -> list[Queue]:
        """Return the queues that Celery workers consume."""
        return [
            Queue(
                self.task_queue(stage),
                exchange=self.tasks_exchange,
                routing_key=self.task_queue(stage),
                queue_arguments=self._work_arguments(self.task_queue(stage)),
            )
            for stage in STAGES
        ]

    def pages_queue(self) -> Queue:
        """Return the queue of page messages, bound to its own exchange and the default exchange."""
        return self._received(self.pages, self.pages_exchange)

    def feedback_queue(self) -> Queue:
        """Return the queue of feedback, bound like `pages_queue`."""
        return self._received(self.feedback, self.feedback_exchange)

    def _received(self, name: str, exchange: Exchange) -> Queue:
        return Queue(
            name,
            exchange=exchange if self.durable_features else None,
            routing_key=name,
            queue_arguments=self._work_arguments(name),
        )

    def declare(self, connection: Connection) -> None:
        """Declare all exchanges and queues; this is idempotent."""
        with connection.channel() as channel:
            for queue in self.queues():
                queue(channel).declare()

    def declare_for_crawler(self, connection: Connection) -> None:
        """Declare all exchanges and queues, so that no page of a crawler is lost.

        If the crawler lacks the permission, raise `amqp.exceptions.NotFound` unless the exchange of
        page messages exists.
        """
        try:
            self.declare(connection)
        except AccessRefused:
            with connection.channel() as channel:
                channel.exchange_declare(self.pages_exchange.name, type="fanout", passive=True)

    def queues(self) -> list[Queue]:
        """Return all queues, each with the exchange to which it is bound."""
        quarantines = [
            Queue(name, queue_arguments=self._quarantine_arguments())
            for name in self.quarantines.values()
        ]
        outgoing = [
            Queue(
                name,
                exchange=exchange,
                routing_key="#",
                queue_arguments={"x-queue-type": "quorum"} if self.durable_features else None,
            )
            for name, exchange in self.outgoing.items()
        ]
        received = [self.pages_queue(), self.feedback_queue()]
        return [*quarantines, *received, *self.celery_queues(), *outgoing]

    def _work_arguments(self, queue: str) -> dict[str, object] | None:
        if not self.durable_features:
            return None
        return {
            "x-queue-type": "quorum",
            "x-delivery-limit": DELIVERY_LIMIT,
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": self.quarantine_of(queue),
            "x-dead-letter-strategy": "at-least-once",
            "x-overflow": "reject-publish",
        }

    def _quarantine_arguments(self) -> dict[str, object] | None:
        # Browsing a quarantine requeues its messages. A quorum queue counts this as a failed
        # delivery and, since RabbitMQ 4, drops a message after twenty.
        return {"x-queue-type": "classic"} if self.durable_features else None
