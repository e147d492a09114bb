"""Commands that migrate, run and check a deployment."""

from __future__ import annotations

import sys

import click

from detourage.text.plural import pluralise
from worker.cli.deployment_access import process_settings
from worker.processes.heartbeat import PROCESSES, Heartbeat


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
    click.echo(f"the database has schema version {schema.REVISION}")


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
    "must_accept",
    is_flag=True,
    help="Without PROCESS: also fail while the intake is paused because its backlog is full.",
)
@click.option(
    "--all",
    "thorough",
    is_flag=True,
    help="Without PROCESS: also check settings, object store and browser, and declare missing"
    " queues.",
)
def health(process: str | None, must_accept: bool, thorough: bool) -> None:
    """Check that a process works, or that the deployment is ready.

    With PROCESS, show its latest work. The command fails if this was more than 30 seconds ago
    (for beat, 30 seconds plus the interval of its tasks). Only work confirmed by the broker or
    the database counts; an idle process checks instead that both respond.

    Without PROCESS, check that the database responds and has the schema of this version, and that
    the broker responds and has the queues. Exit code 0: ready; 1: not ready.
    """
    from worker.settings import load_settings

    settings = load_settings()
    if process is None:
        from worker.service.health_checks import examine, readiness

        if not thorough:
            settings.require_database_url()
            settings.require_broker_url()
        check = examine if thorough else readiness
        findings = check(settings, must_accept=must_accept)
        for each in findings:
            click.echo(f"{'ok  ' if each.is_healthy else 'FAIL'}  {each.name}: {each.detail}")
        if not all(each.is_healthy for each in findings):
            sys.exit(1)
        return
    if must_accept or thorough:
        raise click.UsageError("PROCESS cannot be combined with --accepting or --all")
    last = Heartbeat(settings.heartbeat_directory, process).last()
    if last is None:
        raise click.ClickException(f"{process} has not done anything on this host yet")
    done = f"{process} last {last.did}, {pluralise(round(last.age_seconds), 'second')} ago"
    if not last.is_recent:
        raise click.ClickException(f"{done}; see its log")
    click.echo(done)
