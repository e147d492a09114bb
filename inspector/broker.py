"""The deployment's queues, whose messages are only counted."""

import ssl
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from kombu import Connection
from kombu.exceptions import OperationalError
from psycopg2.extensions import make_dsn, parse_dsn

from detourage.errors import ExpectedError
from inspector.settings import InspectorSettings

STAGES: Final = ("assign", "compare", "cluster", "extract", "reprocess", "maintenance")
"""Kinds of task, each of which has a queue."""

CONNECT_SECONDS: Final = 3.0
"""Connection timeout per node."""


class BrokerError(ExpectedError):
    """No node of the broker responds and grants access."""


class QueueState(NamedTuple):
    """State of a queue: the number of ready messages and of consumers."""

    messages: int
    consumers: int


def queue_names(prefix: str) -> dict[str, str]:
    """Return the queues by stage, in the order in which pages pass through them."""
    return {
        "intake": f"{prefix}crawler.pages",
        **{stage: f"{prefix}detourage.{stage}" for stage in STAGES},
        "articles": f"{prefix}entities.articles",
    }


def quarantine_of(queue: str) -> str:
    """Return the queue with the messages of a queue that could not be processed."""
    return f"{queue}.quarantine"


def queue_states(settings: InspectorSettings) -> dict[str, QueueState]:
    """Return the states of the queues and their quarantines by name, if they exist."""
    *consumed, articles = queue_names(settings.queue_prefix).values()
    with _connected(settings) as connection:
        names = (*consumed, articles, *map(quarantine_of, consumed))
        found = {name: _state(connection, name) for name in names}
    return {name: state for name, state in found.items() if state is not None}


def _connected(settings: InspectorSettings) -> Connection:
    """Connect to the first node that responds."""
    problem: Exception | None = None
    for node in settings.broker_url.get_secret_value().split(";"):
        connection = Connection(node, connect_timeout=CONNECT_SECONDS, **_options(settings, node))
        try:
            connection.connect()
        except (*connection.connection_errors, *connection.channel_errors, OperationalError) as e:
            connection.release()
            problem = e
        else:
            return connection
    lines = str(problem).splitlines()
    reason = f"{type(problem).__name__}: {lines[0] if lines else ''}"
    raise BrokerError(f"the broker is not responding, or refuses access: {reason}") from problem


def _options(settings: InspectorSettings, node: str) -> dict[str, Any]:
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
    try:
        with connection.channel() as channel:
            found = channel.queue_declare(queue=queue, passive=True)
    except connection.channel_errors:
        return None
    return QueueState(int(found.message_count), int(found.consumer_count))
