"""Numbers of messages and consumers in the deployment's queues; no message is received."""

import ssl
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from kombu import Connection
from kombu.exceptions import OperationalError
from psycopg2.extensions import make_dsn, parse_dsn

from detourage.expected_errors import ExpectedError
from inspector.settings import InspectorSettings

STAGES: Final = ("assign", "compare", "cluster", "extract", "reprocess", "maintenance")
"""Kinds of tasks of the workers; each kind has a queue."""

CONNECT_SECONDS: Final = 3.0
"""Connection timeout per node."""


class BrokerError(ExpectedError):
    """No node of the broker responds and grants access."""


class QueueState(NamedTuple):
    """State of a queue: the number of ready messages and of consumers."""

    messages: int
    consumers: int


def queue_names(prefix: str) -> dict[str, str]:
    """Return the names of the queues by stage, in display order."""
    return {
        "intake": f"{prefix}crawler.pages",
        **{stage: f"{prefix}detourage.{stage}" for stage in STAGES},
        "articles": f"{prefix}entities.articles",
    }


def quarantine_of(queue: str) -> str:
    """Return the name of the queue for messages of `queue` that could not be processed."""
    return f"{queue}.quarantine"


def queue_states(settings: InspectorSettings) -> dict[str, QueueState]:
    """Return the states of those queues and quarantine queues that exist, by name."""
    # The queue of articles belongs to a consumer, and has no quarantine.
    *own_queues, articles = queue_names(settings.queue_prefix).values()
    with _connect(settings) as connection:
        names = (*own_queues, articles, *map(quarantine_of, own_queues))
        states = {name: _state(connection, name) for name in names}
    return {name: state for name, state in states.items() if state is not None}


def _connect(settings: InspectorSettings) -> Connection:
    """Connect to the first node that responds."""
    last_error: Exception | None = None
    for node in settings.broker_url.get_secret_value().split(";"):
        connection = Connection(node, connect_timeout=CONNECT_SECONDS, **_options(settings, node))
        try:
            connection.connect()
        except (*connection.connection_errors, *connection.channel_errors, OperationalError) as e:
            connection.release()
            last_error = e
        else:
            return connection
    lines = str(last_error).splitlines()
    reason = f"{type(last_error).__name__}: {lines[0] if lines else ''}"
    raise BrokerError(f"the broker is not responding, or refuses access: {reason}") from last_error


def _options(settings: InspectorSettings, node: str) -> dict[str, Any]:
    """Return the connection options for a node, depending on the kind of broker."""
    if node.startswith("amqps:"):
        # Without these options, the AMQP library would not verify the server's name.
        ca_file = settings.broker_ca_file
        return {
            "ssl": {
                "cert_reqs": ssl.CERT_REQUIRED,
                "ca_certs": str(ca_file) if ca_file else None,
                "server_hostname": urlsplit(node).hostname or "localhost",
            }
        }
    if settings.broker_is_amqp:
        return {}
    # The embedded broker is in the database.
    parts = parse_dsn(f"postgresql://{settings.psycopg2_url.partition('://')[2]}")
    options = {"init_extension": False, "pool_size": 1, "conn_string": make_dsn(**parts)}
    return {"transport_options": options}


def _state(connection: Connection, queue: str) -> QueueState | None:
    """Return the state of a queue, or None if it does not exist."""
    try:
        with connection.channel() as channel:
            state = channel.queue_declare(queue=queue, passive=True)
    except connection.channel_errors:
        return None
    return QueueState(int(state.message_count), int(state.consumer_count))
