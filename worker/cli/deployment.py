"""Commands that migrate, run and check a deployment."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from detourage.text.plural import counted
from worker.cli.process import process_settings, stop_on_signals, with_database
from worker.processes.heartbeat import PROCESSES, Heartbeat

if TYPE_CHECKING:
    from worker.service.checks import Finding


@click.command()
def migrate() -> None:
    """Migrate the database to the schema of this version.

    Stored data is preserved. No process of the service may be running.
    """
    from worker.settings import load_settings
    from worker.store import schema
    from worker.store.database import Database

    with Database(load_settings().require_database_url()) as database:
        schema.migrate(database)


@click.command()
def intake() -> None:
    """Run the intake, which stores page messages."""
    from worker.service.intake import Intake

    Intake(process_settings("intake")).run_until_signalled()


@click.command()
def relay() -> None:
    """Run the relay, which publishes the messages of the outbox."""
    from worker.service.relay import Relay

    Relay(process_settings("relay")).run_until_signalled()


@click.command()
@click.argument("process", required=False, type=click.Choice(PROCESSES))
@click.option(
    "--accepting",
    is_flag=True,
    help="Without PROCESS: also fail while the intake is paused because its backlog is full.",
)
def health(process: str | None, accepting: bool) -> None:
    """Check that a process works, or that the deployment is ready.

    With PROCESS, show what it last did. It fails if that is longer ago than it should be: 30
    seconds, or, for beat, 30 seconds and the interval of its tasks. Only work that the broker or
    the database has confirmed counts; a process without work confirms that they answer.

    Without PROCESS, check that the database responds and has the schema of this version, and that
    the broker responds and has the queues. Exit code 0: ready; 1: not ready.
    """
    from worker.settings import load_settings

    settings = load_settings()
    if process is None:
        from worker.service.checks import readiness

        settings.require_database_url()
        settings.require_broker_url()
        _report_findings(readiness(settings, accepting=accepting))
        return
    if accepting:
        raise click.UsageError("--accepting cannot be combined with PROCESS")
    heartbeat = Heartbeat(settings.heartbeat_directory, process)
    last, age = heartbeat.last(), heartbeat.age_seconds()
    if last is None or age is None:
        raise click.ClickException(f"{process} has not done anything on this host yet")
    done = f"{process} last {last.did}, {counted(round(age), 'second')} ago"
    if not heartbeat.is_alive():
        raise click.ClickException(f"{done}; see its log")
    click.echo(done)


@click.command()
def doctor() -> None:
    """Check the installation and the configured deployment."""
    from worker.service.checks import examine
    from worker.settings import load_settings

    _report_findings(examine(load_settings()))


def _report_findings(findings: list[Finding]) -> None:
    for finding in findings:
        click.echo(f"{'ok  ' if finding.healthy else 'FAIL'}  {finding.name}: {finding.detail}")
    if not all(finding.healthy for finding in findings):
        sys.exit(1)


@click.command()
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Serve the metrics over HTTP on this port until stopped, instead of printing them once.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on.")
def metrics(port: int | None, host: str) -> None:
    """Show the metrics in the Prometheus text format."""
    from worker.service.metrics import metrics_text, serve_metrics

    settings = process_settings("metrics" if port else None)
    with_database(lambda _: None)
    if port is None:
        click.echo(metrics_text(settings), nl=False)
        return
    serve_metrics(settings, host, port, stop_on_signals())
