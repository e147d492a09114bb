"""Connections to the broker, made from the settings."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from amqp.exceptions import AccessRefused, NotAllowed, PreconditionFailed
from kombu import Connection, Producer
from kombu.exceptions import OperationalError
from kombu.transport.base import StdChannel

from worker.errors import ExpectedError, cause, warn_of, without_passwords
from worker.messaging.topology import Topology
from worker.messaging.transport import TlsTransport, Transport, tls_options
from worker.settings import Settings, SettingsError

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 30
"""Silence after which a connection counts as lost, twice as long at worst.

The intake and the relay do not read from the broker while they parse a page or
write to the database, which takes seconds at worst.
"""

CONNECT_SECONDS = 5.0
"""Time that the broker has to take a connection of a process, which then tries again."""

COMMAND_CONNECT_SECONDS = 3.0
"""Time that the broker has to take a connection of a command, for which a person waits."""


class BrokerIsAwayError(ExpectedError):
    """The broker does not answer."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"the broker does not answer: {without_passwords(cause(error))}: check"
            " DETOURAGE_BROKER_URL, and whether it runs"
        )


class BrokerRefusesError(ExpectedError):
    """The broker answers, and lets this process not in."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"the broker refuses: {without_passwords(cause(error))}: check user, password and"
            " virtual host in DETOURAGE_BROKER_URL"
        )


def topology_of(settings: Settings) -> Topology:
    """Return the topology that the settings ask for."""
    return Topology(prefix=settings.queue_prefix, durable_features=settings.broker_is_amqp)


def transport_options(settings: Settings) -> dict[str, str | int | float | bool]:
    """Return kombu's transport options; publishing to RabbitMQ is always confirmed."""
    confirmed = {"confirm_publish": True} if settings.broker_is_amqp else {}
    return {**confirmed, **settings.broker_options}


def broker_tls(settings: Settings) -> dict[str, Any] | None:
    """Return how the broker is verified; nothing where the connection is not encrypted."""
    return tls_options(settings.require_broker_url(), settings.broker_ca_file)


def connect(settings: Settings, connect_seconds: float = CONNECT_SECONDS) -> Connection:
    """Return a connection to the broker, not yet established.

    Parameters
    ----------
    settings
        Which broker.
    connect_seconds
        Time that it has to take the connection.
    """
    url = settings.require_broker_url()
    transports = {"amqps": TlsTransport, "amqp": Transport, "pyamqp": Transport}
    return Connection(
        url,
        transport=transports.get(url.partition(":")[0]),
        ssl=broker_tls(settings) or False,
        transport_options=transport_options(settings),
        heartbeat=HEARTBEAT_SECONDS if settings.broker_is_amqp else 0,
        connect_timeout=connect_seconds,
    )


@contextmanager
def connected(settings: Settings) -> Iterator[Connection]:
    """Give a connection to the broker to a command, which does not wait for one that is away.

    Raises
    ------
    BrokerIsAwayError
        If the broker does not answer.
    BrokerRefusesError
        If it does not let this process in.
    """
    with connect(settings, COMMAND_CONNECT_SECONDS) as connection:
        try:
            connection.ensure_connection(
                max_retries=1, interval_start=0, timeout=COMMAND_CONNECT_SECONDS
            )
        except (AccessRefused, NotAllowed) as error:
            raise BrokerRefusesError(error) from error
        except (*connection.connection_errors, OperationalError) as error:
            raise BrokerIsAwayError(error) from error
        yield connection


def check_message_size(settings: Settings) -> None:
    """Try whether the broker takes messages as large as the settings allow.

    Raises
    ------
    SettingsError
        If it does not.
    """
    if not settings.broker_is_amqp:
        return
    size = settings.max_message_bytes
    with connect(settings) as connection:
        channel = connection.channel()
        queue = channel.queue_declare(exclusive=True, auto_delete=True).queue
        try:
            Producer(channel).publish(bytes(size), exchange="", routing_key=queue)
        except PreconditionFailed as error:
            raise SettingsError(
                f"the broker takes no message of DETOURAGE_MAX_MESSAGE_BYTES={size}: set that"
                f" lower, or its max_message_size higher ({error.reply_text})"
            ) from error


def messages_waiting(settings: Settings, queue: str) -> int:
    """Return the number of messages ready in a queue that is declared."""
    with connect(settings) as connection, connection.channel() as channel:
        return depth(channel, queue)


def messages_seen(settings: Settings, queue: str) -> int | None:
    """Return the number of messages ready in a queue; nothing if the broker does not tell now."""
    connection = connect(settings)
    try:
        return messages_waiting(settings, queue)
    except (*connection.connection_errors, *connection.channel_errors, OperationalError) as error:
        warn_of(logger, f"the broker does not tell what waits in {queue}", error)
        return None


class QueueState(NamedTuple):
    """What is in a queue: messages that are ready, and who takes them."""

    messages: int
    consumers: int


def queue_states(settings: Settings) -> dict[str, QueueState]:
    """Return what is in each queue, in the order of a page's road."""
    topology = topology_of(settings)
    names = [*topology.work_queues, *topology.quarantines.values()]
    with connected(settings) as connection:
        topology.declare(connection)
        with connection.channel() as channel:
            return {name: _state(channel, name) for name in names}


def queue_depths(settings: Settings) -> dict[str, int]:
    """Return the number of messages ready in each queue, in the order of a page's road."""
    return {name: state.messages for name, state in queue_states(settings).items()}


def depth(channel: StdChannel, queue: str) -> int:
    """Return the number of messages ready in a queue that is declared."""
    return _state(channel, queue).messages


def _state(channel: StdChannel, queue: str) -> QueueState:
    found = channel.queue_declare(queue=queue, passive=True)
    return QueueState(int(found.message_count), int(found.consumer_count))
