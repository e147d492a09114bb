"""The command that runs the inspector."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from detourage.cli.display import say
from detourage.expected_errors import ExpectedError, require_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


PORT = 8460  # default port


def check_installed() -> None:
    """Raise an error unless the inspector extra is installed."""
    require_extra(
        "inspector",
        "the inspector",
        "jinja2",
        "starlette",
        "uvicorn",
        distribution="detourage-service",
    )


@click.command()
@click.option(
    "--listen",
    default="127.0.0.1",
    show_default=True,
    metavar="HOST",
    help="Address to listen on; any address but the loopback requires --token-file.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 selects a free port.",
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the access token, which needs at least 16 characters.",
)
def inspect(listen: str, port: int, token_file: Path | None) -> None:
    """Show the state of a deployment in a browser.

    Only reads from the database and the broker of the configured deployment. Requires the
    `inspector` extra.
    """
    check_installed()
    from inspector.application import create_app
    from inspector.deployment import Deployment
    from inspector.serving import address_of, bound_socket, read_token, serve
    from inspector.settings import InspectorSettings

    token = read_token(listen, token_file)
    deployment = Deployment(InspectorSettings.read(os.environ))
    deployment.require_schema()
    try:
        listener = bound_socket(listen, port)
    except OSError as error:
        raise ExpectedError(
            f"cannot listen on {listen}, port {port}: {str(error.strerror).partition(' (')[0]};"
            " choose another with --port or --listen"
        ) from error
    with listener:
        click.echo(f"{address_of(listener)} (stop with Ctrl-C)", err=True)
        serve(create_app(deployment, token=token), listener)


@contextmanager
def running_inspector(environment: Mapping[str, str]) -> Iterator[None]:
    """Serve the inspector of a deployment to local browsers during a ``with`` block.

    ``environment`` has the deployment's settings.
    """
    from inspector.application import create_app
    from inspector.deployment import Deployment
    from inspector.serving import address_of, bound_socket, running_server
    from inspector.settings import InspectorSettings

    app = create_app(Deployment(InspectorSettings.read(environment)))

    try:
        listener = bound_socket("127.0.0.1", PORT)
    except OSError:
        listener = bound_socket("127.0.0.1", 0)
    with listener, running_server(app, listener):
        say(f"inspector: {address_of(listener)}")
        yield


def wait_for_interrupt() -> None:
    """Wait for Ctrl-C, without raising `KeyboardInterrupt`."""
    click.echo("the inspector runs until Ctrl-C", err=True)
    with suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600)
