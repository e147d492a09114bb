"""Nodes of a broker that do not respond."""

import socket

from pydantic import SecretStr

from tests.services import unused_ports
from worker.messaging.broker import connect, connected
from worker.settings import Settings


def test_every_process_and_command_connects_to_the_only_node_that_responds(
    settings: Settings,
) -> None:
    lost = [f"amqp://guest:guest@127.0.0.1:{port}//" for port in unused_ports(4)]
    url = ";".join([*lost, settings.require_broker_url()])
    clustered = settings.model_copy(update={"broker_url": SecretStr(url)})
    with connect(clustered) as connection:
        assert connection.channel().is_open
    with connect(clustered) as connection:
        assert connection.connect().connected
    with connected(clustered) as connection:
        assert connection.connected


def test_a_command_does_not_wait_for_a_node_that_is_silent(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        lost = f"amqp://guest:guest@127.0.0.1:{silent.getsockname()[1]}//"
        url = f"{lost};{settings.require_broker_url()}"
        clustered = settings.model_copy(update={"broker_url": SecretStr(url)})
        with connected(clustered) as connection:
            assert connection.connected
