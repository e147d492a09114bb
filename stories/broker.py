"""Connections to the broker."""

import ssl
from typing import Any
from urllib.parse import urlsplit

from kombu import Connection, Exchange, Producer

from stories.settings import Settings

HEARTBEAT_SECONDS = 60
"""Heartbeat interval, in seconds. The process reads from the broker much more often than that."""

CONNECT_SECONDS = 5.0  # time limit for connecting


def connection_to(settings: Settings, node: str) -> Connection:
    """Return a connection to a node of the broker, without establishing it.

    The certificate and the host name of the node are verified.
    """
    tls: dict[str, Any] = {
        "cert_reqs": ssl.CERT_REQUIRED,
        "ca_certs": str(settings.broker_ca_file) if settings.broker_ca_file else None,
        "server_hostname": urlsplit(node).hostname or "localhost",
    }
    return Connection(
        node,
        ssl=tls if node.startswith("amqps:") else False,
        transport_options={"confirm_publish": True},
        heartbeat=HEARTBEAT_SECONDS,
        connect_timeout=CONNECT_SECONDS,
    )


def publish(
    producer: Producer, exchange: Exchange, key: str, message_id: str, body: str | bytes
) -> None:
    """Publish a message, and wait until the broker has confirmed it."""
    producer.publish(
        body,
        exchange=exchange.name,
        routing_key=key,
        message_id=message_id,
        content_type="application/json",
        content_encoding="utf-8",
        delivery_mode=2,
    )
