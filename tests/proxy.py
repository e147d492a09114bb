"""A TCP proxy whose connections a test can drop."""

import socket
import threading
from contextlib import suppress
from typing import Self

from sqlalchemy import make_url


class Proxy:
    """A proxy on the loopback interface of the server of a URL; it can lose and find the server."""

    def __init__(self, url: str, usual_port: int) -> None:
        self._url = make_url(url)
        self._port = self._url.port or usual_port
        self._open: set[socket.socket] = set()
        self._is_lost = False

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._listener.close()
        self.lose()

    @property
    def url(self) -> str:
        """The URL that leads to the server through the proxy."""
        port = self._listener.getsockname()[1]
        found = self._url.difference_update_query(["host"]).set(host="127.0.0.1", port=port)
        return found.render_as_string(hide_password=False)

    def lose(self) -> None:
        """Drop every connection, and accept none until `find`."""
        self._is_lost = True
        for each in list(self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def find(self) -> None:
        """Accept connections again."""
        self._is_lost = False

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if self._is_lost:
                    near.close()
                    continue
                far = self._connected()
                self._open |= {near, far}
                for ends in (near, far), (far, near):
                    threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _connected(self) -> socket.socket:
        if self._url.host:
            return socket.create_connection((self._url.host, self._port))
        local = socket.socket(socket.AF_UNIX)
        local.connect(f"{self._url.query['host']}/.s.PGSQL.{self._port}")
        return local

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                target.sendall(chunk)
        for each in source, target:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._open.discard(source)
        source.close()
