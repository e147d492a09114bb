"""A TCP proxy whose connections a test can drop."""

import socket
import threading
from contextlib import suppress
from typing import Self

from sqlalchemy import make_url


class Proxy:
    """A proxy to the server of a URL, whose connections a test can `drop` and `restore`."""

    def __init__(self, url: str, usual_port: int) -> None:
        self._url = make_url(url)
        self._port = self._url.port or usual_port
        self._sockets: set[socket.socket] = set()
        self._is_dropped = self._is_silent = False

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._listener.close()
        self.drop()

    @property
    def url(self) -> str:
        """The URL that leads to the server through the proxy."""
        port = self._listener.getsockname()[1]
        url = self._url.difference_update_query(["host"]).set(host="127.0.0.1", port=port)
        return url.render_as_string(hide_password=False)

    def drop(self) -> None:
        """Close every connection, and refuse new ones until `restore` is called."""
        self._is_dropped = True
        for each in list(self._sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def fall_silent(self) -> None:
        """Accept connections and whatever is sent over them, but no longer forward anything."""
        self._is_silent = True

    def restore(self) -> None:
        """Accept connections again."""
        self._is_dropped = False

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self._is_dropped:
                    client.close()
                    continue
                server = self._connect_to_server()
                self._sockets |= {client, server}
                for direction in (client, server), (server, client):
                    threading.Thread(target=self._forward, args=direction, daemon=True).start()

    def _connect_to_server(self) -> socket.socket:
        """Connect over TCP or, if a PostgreSQL URL has no host, to its Unix socket."""
        if self._url.host:
            return socket.create_connection((self._url.host, self._port))
        local = socket.socket(socket.AF_UNIX)
        local.connect(f"{self._url.query['host']}/.s.PGSQL.{self._port}")
        return local

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                if not self._is_silent:
                    target.sendall(chunk)
        for each in source, target:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._sockets.discard(source)
        source.close()
