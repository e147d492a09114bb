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

from detourage.expected_errors import ExpectedError

MIN_TOKEN_CHARACTERS = 16
"""Minimum length of an access token; shorter tokens can be guessed."""

STOP_SECONDS = 3
"""Time allowed for finishing open responses on shutdown."""


class InspectorError(ExpectedError):
    """The inspector cannot be started with the given options."""


def is_loopback(host: str) -> bool:
    """Return whether a host is reachable only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_token(host: str, token_file: Path | None) -> str | None:
    """Return the access token, or None if there is none and only this machine can connect."""
    if token_file is None:
        if not is_loopback(host):
            raise InspectorError(f"{host} can be reached from other machines: pass --token-file")
        return None
    try:
        token = token_file.read_text("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InspectorError(f"{token_file}: the token is not UTF-8 text") from error
    if len(token) < MIN_TOKEN_CHARACTERS:
        raise InspectorError(
            f"{token_file}: the token needs at least {MIN_TOKEN_CHARACTERS} characters"
        )
    return token


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port, or on a free port if ``port`` is 0."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM."""
    _server(app).run([listener])


@contextmanager
def running_server(app: ASGIApp, listener: socket.socket) -> Iterator[None]:
    """Serve in a thread during a ``with`` block."""
    server = _server(app)
    thread = Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(2 * STOP_SECONDS)


def address_of(listener: socket.socket) -> str:
    """Return the URL of the server that listens on a socket."""
    host, port = listener.getsockname()[:2]
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
