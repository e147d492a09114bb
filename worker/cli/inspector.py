"""The command of the inspector."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from worker.errors import require_extra

if TYPE_CHECKING:
    from collections.abc import Iterator

    from worker.settings import Settings

PORT = 8460


def check_installed() -> None:
    """Raise an error where the extra is not installed."""
    require_extra("inspector", "the inspector", "jinja2", "starlette", "uvicorn")


@click.command()
@click.option(
    "--listen",
    default="127.0.0.1",
    show_default=True,
    metavar="HOST",
    help="Address to listen on; one that others can reach needs --token-file.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 for any that is free.",
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the token that a browser must know, of 16 characters or more.",
)
@click.option(
    "--write",
    is_flag=True,
    help="Allow to send messages in quarantine back, to drop them, and to ask for pages again.",
)
def inspect(listen: str, port: int, token_file: Path | None, write: bool) -> None:
    """Show what the service sees, in a browser.

    Reads the database and the broker of the configured deployment, which does not notice.
    Needs the extra inspector.
    """
    check_installed()
    from worker.cli.database import with_database
    from worker.cli.process import process_settings
    from worker.inspector.application import create_app
    from worker.inspector.serving import address_of, bound_socket, read_token, serve

    token = read_token(listen, token_file)
    settings = process_settings()
    with_database(settings, lambda _: None)
    with bound_socket(listen, port) as listening:
        click.echo(f"{address_of(listening)} (Ctrl-C ends it)", err=True)
        serve(create_app(settings, is_writing=write, token=token), listening)


@contextmanager
def inspected(settings: Settings) -> Iterator[None]:
    """Show a deployment in a browser on this machine for the time of a block."""
    from worker.inspector.application import create_app
    from worker.inspector.serving import address_of, bound_socket, served

    try:
        listening = bound_socket("127.0.0.1", PORT)
    except OSError:
        listening = bound_socket("127.0.0.1", 0)
    with listening, served(create_app(settings), listening):
        click.echo(f"inspector: {address_of(listening)}", err=True)
        yield


def wait_for_interrupt() -> None:
    """Wait for Ctrl-C, which ends nothing but the wait."""
    click.echo("the inspector stays until Ctrl-C", err=True)
    with suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600)
