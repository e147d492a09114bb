"""Connections to the broker, configured by the settings."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from amqp.exceptions import AccessRefused, NotAllowed
from kombu import Connection
from kombu.exceptions import OperationalError
from kombu.transport.base import StdChannel

from detourage.expected_errors import ExpectedError
from worker.error_reports import cause, log_transient, without_passwords
from worker.messaging.topology import Topology
from worker.messaging.transport import BrokerConnection, TlsTransport, Transport, tls_options
from worker.settings import Settings

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 30  # heartbeat interval; a connection idle for two intervals counts as dead

CONNECT_SECONDS = 5.0  # connection timeout for processes, per node

COMMAND_CONNECT_SECONDS = 3.0
"""Connection timeout per node for commands, shorter so as not to keep the user waiting."""

REFUSED_ACCESS = (AccessRefused, NotAllowed)
"""Errors of a broker that responds, but rejects the credentials or the virtual host."""

EMBEDDED_OPTIONS = {
    # The server lacks the pgmq extension; its SQL is included in the wheel and loaded at startup.
    "init_extension": False,
    # Time after which an unacknowledged message is redelivered. It must exceed the duration of any
    # task. Redelivery never takes so long in practice: a worker that loses a pool process returns
    # the message immediately, and a worker that dies ends the whole run.
    "visibility_timeout": 6 * 3600,
    "polling_interval": 0.05,
    "wait_time_seconds": 0,
    "pool_size": 4,
}


class BrokerError(ExpectedError):
    """The broker does not respond, or rejects this process."""


def topology_of(settings: Settings) -> Topology:
    """Return the topology that the settings describe."""
    return Topology(prefix=settings.queue_prefix, durable_features=settings.broker_is_amqp)


def transport_options(settings: Settings) -> dict[str, str | int | float | bool]:
    """Return the options of kombu's transport, which depend on the broker (AMQP or embedded)."""
    if settings.broker_is_amqp:
        return {"confirm_publish": True}
    from psycopg2.extensions import make_dsn, parse_dsn

    # A broker URL cannot name a Unix socket, but a connection string can; pgmq understands only
    # keywords and values.
    parts = parse_dsn(f"postgresql://{settings.require_database_url().partition('://')[2]}")
    return {**EMBEDDED_OPTIONS, "conn_string": make_dsn(**parts)}


def broker_tls(settings: Settings) -> dict[str, Any] | None:
    """Return the TLS options for the broker, or None for an unencrypted connection."""
    return tls_options(settings.require_broker_url(), settings.broker_ca_file)


def connect(settings: Settings) -> Connection:
    """Connect to the first node of the broker that responds."""
    connection = connection_to(settings)
    connection.connect()
    return connection


def connection_to(settings: Settings, connect_seconds: float = CONNECT_SECONDS) -> Connection:
    """Return a connection to the broker without establishing it."""
    url = settings.require_broker_url()
    transports = {"amqps": TlsTransport, "amqp": Transport, "pyamqp": Transport}
    return BrokerConnection(
        url,
        transport=transports.get(url.partition(":")[0]),
        ssl=broker_tls(settings) or False,
        transport_options=transport_options(settings),
        heartbeat=HEARTBEAT_SECONDS if settings.broker_is_amqp else 0,
        connect_timeout=connect_seconds,
    )


@contextmanager
def broker_connection(settings: Settings) -> Iterator[Connection]:
    """Yield a connection for a command; raise `BrokerError` rather than wait for the broker."""
    with connection_to(settings, COMMAND_CONNECT_SECONDS) as connection:
        try:
            nodes = max(1, len(connection.alt))
            retries, timeout = max(1, nodes - 1), COMMAND_CONNECT_SECONDS * nodes
            connection.ensure_connection(max_retries=retries, interval_start=0, timeout=timeout)
        except (*REFUSED_ACCESS, *connection.connection_errors, OperationalError) as error:
            raise BrokerError(describe(error)) from error
        yield connection


def describe(error: BaseException) -> str:
    """Return an error raised while connecting to the broker, and what to check, on one line."""
    problem, check = "is not responding", "DETOURAGE_BROKER_URL, and that the broker is running"
    if isinstance(error, REFUSED_ACCESS):
        problem = "refused access"
        check = "user, password and virtual host in DETOURAGE_BROKER_URL"
    return f"the broker {problem}: {without_passwords(cause(error))}: check {check}"


def messages_waiting(settings: Settings, queue: str) -> int:
    """Return the number of messages ready in a declared queue, over a new connection."""
    with connect(settings) as connection, connection.channel() as channel:
        return depth(channel, queue)


def count_messages(settings: Settings, queue: str) -> int | None:
    """Return `messages_waiting`, or None (which is logged) if the broker does not respond."""
    connection = connection_to(settings)
    try:
        return messages_waiting(settings, queue)
    except (*connection.connection_errors, *connection.channel_errors, OperationalError) as error:
        log_transient(logger, f"could not count the messages in {queue}", error)
        return None


def queue_states(settings: Settings) -> dict[str, Any]:
    """Return the message and consumer counts of all queues, in the order of processing."""
    topology = topology_of(settings)
    names = [*topology.work_queues, *topology.quarantines.values()]
    with broker_connection(settings) as connection:
        topology.declare(connection)
        with connection.channel() as channel:
            return {name: channel.queue_declare(name, passive=True) for name in names}


def queue_depths(settings: Settings) -> dict[str, int]:
    """Return the number of messages ready in each queue; see `queue_states`."""
    return {name: int(state.message_count) for name, state in queue_states(settings).items()}


def depth(channel: StdChannel, queue: str) -> int:
    """Return the number of messages ready in a declared queue, over an open channel."""
    return int(channel.queue_declare(queue=queue, passive=True).message_count)
