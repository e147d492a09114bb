"""A process that starts before its database."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from sqlalchemy import URL

from tests.services import Services, unused_ports
from worker.store.database import Database, DatabaseRefusesError


@contextmanager
def begins_to_listen(port: int, server: URL) -> Iterator[None]:
    """Refuse connections at first; then let a client talk to a server, once.

    A client that tries again is refused as long as it tries.
    """

    def relay() -> None:
        time.sleep(0.5)
        with closing(socket.create_server(("127.0.0.1", port))) as listening:
            client = listening.accept()[0]
        with client, _connected(server) as upstream:
            back = threading.Thread(target=_copy, args=(upstream, client))
            back.start()
            _copy(client, upstream)
            back.join()

    thread = threading.Thread(target=relay)
    thread.start()
    yield
    thread.join()


def _connected(server: URL) -> socket.socket:
    if server.host:
        return socket.create_connection((server.host, server.port or 5432))
    local = socket.socket(socket.AF_UNIX)
    local.connect(f"{server.query['host']}/.s.PGSQL.5432")
    return local


def _copy(source: socket.socket, target: socket.socket) -> None:
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


def test_a_database_that_first_does_not_answer_and_then_refuses_access_is_not_waited_for(
    services: Services,
) -> None:
    [port] = unused_ports(1)
    url = services.server_url.set(
        host="127.0.0.1", port=port, database="no_such_database", query={}
    )
    with (
        begins_to_listen(port, services.server_url),
        Database(url.render_as_string(hide_password=False)) as database,
        pytest.raises(DatabaseRefusesError, match="does not exist"),
    ):
        database.wait()
