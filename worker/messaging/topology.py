"""Every exchange and queue, and the one place that declares them.

A queue whose arguments differ from those it was declared with makes publishers
and consumers fail with 406 PRECONDITION_FAILED, so nobody else declares one.
"""

from dataclasses import dataclass

from amqp.exceptions import AccessRefused
from kombu import Connection, Exchange, Queue

from worker.messaging.task_names import STAGES

DELIVERY_LIMIT = 5
"""Deliveries of one message before it is moved to quarantine.

A message that kills its consumer is redelivered; on a quorum queue the limit ends that.
"""


@dataclass(frozen=True)
class Topology:
    """Names and declarations of the exchanges and queues.

    Parameters
    ----------
    prefix
        Put before every name, so that deployments can share a broker.
    durable_features
        Whether the broker is RabbitMQ: quorum queues, dead letters and bounded
        redelivery; the embedded broker has none of them.
    """

    prefix: str
    durable_features: bool

    @property
    def pages(self) -> str:
        """Queue that crawlers publish page messages on."""
        return f"{self.prefix}crawler.pages"

    @property
    def pages_exchange(self) -> Exchange:
        """Exchange of page messages alone.

        Who may publish on the default exchange may publish on any queue, so a crawler whose
        rights end at its pages needs another one.
        """
        return Exchange(self.pages, type="fanout", durable=True)

    @property
    def pages_address(self) -> tuple[str, str]:
        """Exchange and routing key that page messages are published with."""
        return (self.pages_exchange.name if self.durable_features else "", self.pages)

    @property
    def articles_exchange(self) -> Exchange:
        """Topic exchange of article messages; routing key ``<language or und>.<site>``."""
        return Exchange(f"{self.prefix}articles", type="topic", durable=True)

    @property
    def repeats_exchange(self) -> Exchange:
        """Topic exchange of articles that repeat others, where they are sent apart."""
        return Exchange(f"{self.articles_exchange.name}.repeats", type="topic", durable=True)

    @property
    def links_exchange(self) -> Exchange:
        """Topic exchange of what pages list, on request; routing key ``<kind>.<site>``."""
        return Exchange(f"{self.prefix}links", type="topic", durable=True)

    @property
    def tasks_exchange(self) -> Exchange:
        """Exchange of Celery tasks.

        A topic one: on a direct exchange Celery cannot delay a task of a quorum
        queue without blocking the queue.
        """
        return Exchange(f"{self.prefix}detourage.tasks", type="topic", durable=True)

    def task_queue(self, stage: str) -> str:
        """Queue of a kind of task."""
        return f"{self.prefix}detourage.{stage}"

    @staticmethod
    def quarantine_of(queue: str) -> str:
        """Queue that holds what could never be handled on another one."""
        return f"{queue}.quarantine"

    @property
    def quarantines(self) -> dict[str, str]:
        """Quarantine queue by stage: ``intake`` and the kinds of task."""
        stages = {stage: self.quarantine_of(self.task_queue(stage)) for stage in STAGES}
        return {"intake": self.quarantine_of(self.pages), **stages}

    @property
    def work_queues(self) -> list[str]:
        """Queues that hold work, in the order of a page's road."""
        return [self.pages, *(self.task_queue(stage) for stage in STAGES), self.articles_queue]

    @property
    def articles_queue(self) -> str:
        """Queue of entity recognition, bound to the articles exchange by default."""
        return f"{self.prefix}entities.articles"

    @property
    def repeats_queue(self) -> str:
        """Queue of entity recognition, bound to the exchange of repeats."""
        return f"{self.prefix}entities.repeats"

    @property
    def links_queue(self) -> str:
        """Queue of the crawler, bound to the exchange of links."""
        return f"{self.prefix}crawler.links"

    @property
    def outgoing(self) -> dict[str, Exchange]:
        """Queues that are filled for others, each with the exchange that it is bound to."""
        return {
            self.articles_queue: self.articles_exchange,
            self.repeats_queue: self.repeats_exchange,
            self.links_queue: self.links_exchange,
        }

    def celery_queues(self) -> list[Queue]:
        """Queues that Celery workers consume."""
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
        """Queue of page messages: on an exchange of its own and on the default one."""
        exchange = self.pages_exchange if self.durable_features else None
        return Queue(
            self.pages,
            exchange=exchange,
            routing_key=self.pages,
            queue_arguments=self._work_arguments(self.pages),
        )

    def declare(self, connection: Connection) -> None:
        """Declare everything; repeating it changes nothing."""
        with connection.channel() as channel:
            for queue in self.queues():
                queue(channel).declare()

    def declare_for_crawler(self, connection: Connection) -> None:
        """Declare everything, so that no page is sent to nowhere.

        Raises
        ------
        amqp.exceptions.NotFound
            Where the user may not declare, and the service has not done it yet.
        """
        try:
            self.declare(connection)
        except AccessRefused:
            with connection.channel() as channel:
                channel.exchange_declare(self.pages_exchange.name, type="fanout", passive=True)

    def queues(self) -> list[Queue]:
        """All queues, each with the exchange that it is bound to."""
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
        return [*quarantines, self.pages_queue(), *self.celery_queues(), *outgoing]

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
        # Looking through a quarantine takes its messages and puts them back. A
        # quorum queue counts that as a failed delivery, and from RabbitMQ 4 on
        # drops a message after twenty; a classic queue does not.
        return {"x-queue-type": "classic"} if self.durable_features else None
