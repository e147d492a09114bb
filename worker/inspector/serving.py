"""The inspector's web server."""

import ipaddress
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import sleep

import uvicorn
from starlette.types import ASGIApp

from worker.errors import ExpectedError

SHORTEST_TOKEN = 16
"""Characters of a token: a shorter one can be guessed."""

STOP_SECONDS = 3
"""Time that answers under way have when the server ends."""


class InspectorError(ExpectedError):
    """The inspector cannot be started so."""


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can ask at an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_token(host: str, token_file: Path | None) -> str | None:
    """Return what a browser must know; None where only this machine can ask, and none is given.

    Raises
    ------
    InspectorError
        If others could ask without a token, or the token is too short, or no text.
    """
    if token_file is None:
        if not is_loopback(host):
            raise InspectorError(f"{host} can be reached by others: --token-file is needed")
        return None
    try:
        token = token_file.read_text("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InspectorError(f"{token_file}: the token is no text") from error
    if len(token) < SHORTEST_TOKEN:
        raise InspectorError(f"{token_file}: the token needs {SHORTEST_TOKEN} characters or more")
    return token


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Parameters
    ----------
    host, port
        Where; port 0 for any that is free.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM."""
    _server(app).run([listening])


@contextmanager
def served(app: ASGIApp, listening: socket.socket) -> Iterator[None]:
    """Serve in a thread for the time of a block."""
    server = _server(app)
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(2 * STOP_SECONDS)


def address_of(listening: socket.socket) -> str:
    """Return the address of what listens, for a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _server(app: ASGIApp) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
    )
