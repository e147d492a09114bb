"""A TCP proxy whose connections a test can drop."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self


class Proxy:
    """A proxy of one server on the loopback interface, which can lose it and find it again."""

    def __init__(self, host: str, port: int) -> None:
        self._server = host, port
        self._open: set[socket.socket] = set()
        self._is_lost = False

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._listener.close()
        self.lose()

    @property
    def port(self) -> int:
        """Port on which the proxy listens."""
        return int(self._listener.getsockname()[1])

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
                far = socket.create_connection(self._server)
                self._open |= {near, far}
                for ends in (near, far), (far, near):
                    threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                target.sendall(chunk)
        for each in source, target:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._open.discard(source)
        source.close()
