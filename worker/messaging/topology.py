"""All exchanges and queues. A broker refuses to redeclare one of them with other arguments."""

from amqp.exceptions import AccessRefused, NotFound
from kombu import Connection, Exchange, Queue

from worker.messaging.task_names import STAGES

DELIVERY_LIMIT = 5
"""Maximum number of redeliveries of a message, such as one that kills its consumer, before quorum
queues move it to quarantine."""

QUARANTINE_DELIVERY_LIMIT = 1_000_000
"""Maximum number of times that a message in quarantine can be browsed."""


class Topology:
    """Names and declarations of the exchanges and queues.

    Names begin with ``prefix``. The embedded broker lacks quorum queues, dead-lettering and bounded
    redelivery (``durable_features``).
    """

    def __init__(self, *, prefix: str, durable_features: bool) -> None:
        self.prefix = prefix
        self.durable_features = durable_features

        self.pages = f"{prefix}crawler.pages"  # queue of page messages from crawlers
        self.pages_exchange = Exchange(self.pages, type="fanout")
        """Exchange of page messages, so that crawlers need no permission for the default exchange,
        through which they could publish to any queue."""
        self.tasks_exchange = Exchange(f"{prefix}detourage.tasks", type="topic")
        """Exchange of Celery tasks; delayed tasks of quorum queues require a topic exchange."""

        self.articles_exchange = Exchange(f"{prefix}articles", type="topic")
        """Exchange of article messages, with routing keys ``<language or und>.<site>``."""
        self.articles_queue = f"{prefix}entities.articles"
        """Queue of articles for the entity recognition service."""
        self.outgoing = {self.articles_queue: self.articles_exchange}
        """Queues filled for other services, each with the exchange to which it is bound."""

        task_queues = {stage: self.task_queue(stage) for stage in STAGES}
        self.sources = {"intake": self.pages, **task_queues}
        """Queues consumed by the service, by stage: ``intake`` and task stages."""
        self.quarantines = {stage: _quarantine_of(queue) for stage, queue in self.sources.items()}
        """Quarantine queues, by stage as in `sources`."""
        self.work_queues = [self.pages, *task_queues.values(), self.articles_queue]
        """Work queues, in the order in which pages pass through them."""

    @property
    def pages_address(self) -> tuple[str, str]:
        """Exchange and routing key of page messages."""
        return (self.pages_exchange.name if self.durable_features else "", self.pages)

    def task_queue(self, stage: str) -> str:
        """Return the queue of a stage."""
        return f"{self.prefix}detourage.{stage}"

    def celery_queues(self) -> list[Queue]:
        """Return the queues that Celery workers consume."""
        return [self._work_queue(self.task_queue(stage), self.tasks_exchange) for stage in STAGES]

    def pages_queue(self) -> Queue:
        """Return the queue of page messages, bound to its own exchange if the broker has it."""
        return self._work_queue(self.pages, self.pages_exchange if self.durable_features else None)

    def queues(self) -> list[Queue]:
        """Return all queues, each with the exchange to which it is bound."""
        quorum = {"x-queue-type": "quorum"} if self.durable_features else None
        # Browsing a quarantine requeues its messages. A quorum queue counts this as a failed
        # delivery and, since RabbitMQ 4, drops a message after twenty by default.
        quarantine = quorum and quorum | {"x-delivery-limit": QUARANTINE_DELIVERY_LIMIT}
        return [
            *(Queue(name, queue_arguments=quarantine) for name in self.quarantines.values()),
            self.pages_queue(),
            *self.celery_queues(),
            *(
                Queue(name, exchange=exchange, routing_key="#", queue_arguments=quorum)
                for name, exchange in self.outgoing.items()
            ),
        ]

    def declare(self, connection: Connection) -> None:
        """Declare all exchanges and queues; this is idempotent."""
        quarantines = set(self.quarantines.values()) if self.durable_features else set()
        with connection.channel() as channel:
            for queue in self.queues():
                # Earlier releases declared quarantines as another type of queue; these are kept.
                if queue.name not in quarantines or not _exists(queue, connection):
                    queue(channel).declare()

    def declare_for_crawler(self, connection: Connection) -> None:
        """Declare everything; if the user lacks permission, check that the page exchange exists."""
        try:
            self.declare(connection)
        except AccessRefused:
            with connection.channel() as channel:
                channel.exchange_declare(self.pages_exchange.name, type="fanout", passive=True)

    def _work_queue(self, name: str, exchange: Exchange | None) -> Queue:
        arguments = {
            "x-queue-type": "quorum",
            "x-delivery-limit": DELIVERY_LIMIT,
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": _quarantine_of(name),
            "x-dead-letter-strategy": "at-least-once",
            # The maximum length of the page queue is a policy, set by `deploy/broker-users.sh`.
            "x-overflow": "reject-publish",
        }
        durable = arguments if self.durable_features else None
        return Queue(name, exchange=exchange, routing_key=name, queue_arguments=durable)


def _exists(queue: Queue, connection: Connection) -> bool:
    """Return whether a queue exists, whatever its type: earlier releases declared classic ones."""
    try:
        with connection.channel() as channel:
            channel.queue_declare(queue.name, passive=True)
    except NotFound:
        return False
    return True


def _quarantine_of(queue: str) -> str:
    return f"{queue}.quarantine"
