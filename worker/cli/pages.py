"""Commands that process or send pages."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import click

from detourage.cli.options import (
    ROLES_TO_CHOOSE,
    OutputFile,
    base_url_option,
    file_format_option,
    input_paths,
    messages_in,
    refuse_inputs,
    site_option,
    text_roles_option,
)
from detourage.expected_errors import ExpectedError
from detourage.text.plural import pluralise
from detourage.text.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from types import ModuleType

    from detourage.export.formats import FileFormat
    from detourage.roles import LineRole
    from worker.local.unfinished import Leftover
    from worker.settings import Settings

EXIT_UNUSABLE_INPUT = 3  # of a command that completed, but with unusable messages or failed pages


@click.command(epilog=ROLES_TO_CHOOSE)
@input_paths
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputFile(is_replaced=True),
    help="Output file for the articles; JSON lines are compressed if its name ends in .gz.",
)
@file_format_option("parquet if the name of OUTPUT ends in .parquet, otherwise jsonl")
@click.option(
    "--resume",
    "leftover",
    flag_value="resume",
    help="Continue an interrupted run with the same OUTPUT and inputs.",
)
@click.option(
    "--overwrite",
    "leftover",
    flag_value="overwrite",
    help="Replace a finished OUTPUT, or discard an interrupted run.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one per core",
    help="Number of task processes.",
)
@base_url_option
@site_option
@text_roles_option("listed below")
@click.option(
    "--all-sites", is_flag=True, help="Show all sites at the end, not just the largest 20."
)
@click.option(
    "--inspect",
    is_flag=True,
    help="Show the run in a browser until Ctrl-C; requires the `inspector` extra.",
)
def run(
    inputs: tuple[Path, ...],
    output: Path,
    form: FileFormat | None,
    leftover: Leftover | None,
    workers: int,
    base_url: str | None,
    site: str | None,
    text_roles: tuple[LineRole, ...] | None,
    all_sites: bool,
    inspect: bool,
) -> None:
    """Process pages, and write their articles.

    INPUT is a folder of HTML, JSON lines, a WARC file, or - (standard input). Uses the configured
    database and broker, or its own for the duration of the run. As JSON lines, articles are added
    to OUTPUT when they are ready, and sorted at the end; other formats are written at the end.
    Until then, OUTPUT.run contains the data that --resume needs. Exit code 0: success; 1: the run
    failed; 3: it completed, but with unusable messages or failed pages; 130: interrupted.
    """
    from detourage.export.formats import format_of, require_format
    from worker.local.unfinished import UnfinishedRunError, quarantine_of, run_folder
    from worker.settings import load_settings

    form = form or format_of(output)
    require_format(form)
    inspector: ModuleType | None = None
    if inspect:
        try:
            inspector = import_module("inspector.command")
        except ModuleNotFoundError as error:
            raise ExpectedError("--inspect needs the inspector, which is not installed") from error
        inspector.check_installed()
    settings = load_settings()
    if text_roles is not None:
        settings = settings.model_copy(update={"text_roles": ",".join(text_roles)})
    messages = messages_in(inputs, base_url, site, [output, quarantine_of(output)])
    # An output in an input folder is not read.
    refuse_inputs([path for path in inputs if not path.is_dir()], output)
    output.parent.mkdir(parents=True, exist_ok=True)
    is_embedded = not (settings.database_url or settings.broker_url)
    servers = "PostgreSQL, a broker and " if is_embedded else ""
    with run_folder(output, leftover or "refuse") as folder:
        # Shown before the imports, which take noticeable time.
        click.echo(f"starting {servers}{pluralise(workers, 'worker')}", err=True)
        from worker.cli.status_tables import bars_by_stage, print_summary
        from worker.local.run import completed_run
        from worker.processes.supervisor import signals_as_exceptions
        from worker.store.progress import RunProgress

        def run_inspector(run: Settings) -> AbstractContextManager[None]:
            return inspector.running_inspector(run.environment()) if inspector else nullcontext()

        try:
            with signals_as_exceptions() as raise_pending, ExitStack() as stack:

                def show_progress(sent: int, counts: RunProgress) -> None:
                    raise_pending()
                    update_bars(sent, counts)

                with bars_by_stage() as update_bars:
                    completed = completed_run(
                        settings,
                        workers,
                        messages,
                        output,
                        folder,
                        form,
                        on_progress=show_progress,
                        run_alongside=run_inspector,
                    )
                    summary = stack.enter_context(completed)
                print_summary(summary, output, all_sites=all_sites)
                if inspector is not None:
                    inspector.wait_for_interrupt()
        except BaseException as error:
            # An UnfinishedRunError already says what to do.
            if folder.is_unfinished and not isinstance(error, UnfinishedRunError):
                click.echo("run the same command with --resume to continue", err=True)
            raise
    if summary.quarantined or summary.failed_pages:
        see = f"; see {summary.quarantine_file}" if summary.quarantine_file else ""
        click.echo(
            f"Error: {pluralise(summary.quarantined, 'unusable message')},"
            f" {pluralise(summary.failed_pages, 'failed page')}{see}",
            err=True,
        )
        sys.exit(EXIT_UNUSABLE_INPUT)


@click.command()
@input_paths
@base_url_option
@site_option
def send(inputs: tuple[Path, ...], base_url: str | None, site: str | None) -> None:
    """Publish pages to a deployment, as a crawler does.

    Messages that the service could not use are not sent, but reported by their number in the
    input. Exit code 0: success; 1: failure; 3: some messages were unusable.
    """
    from detourage.inputs.message_validation import UnusableMessageError, read_message
    from worker.messaging.publishing import publish_pages
    from worker.settings import load_settings

    messages = messages_in(inputs, base_url, site)
    prefix = f"send-{uuid4()}-"
    unusable = 0

    def usable_messages() -> Iterator[tuple[str, bytes]]:
        nonlocal unusable
        for number, body in enumerate(messages, 1):
            try:
                read_message(body, received_at=datetime.now(UTC))
            except UnusableMessageError as error:
                unusable += 1
                click.echo(f"message {number}: {error.reason}: {printable(error.detail)}", err=True)
            else:
                yield f"{prefix}{number}", body

    sent = publish_pages(load_settings(), usable_messages())
    click.echo(f"{pluralise(sent, 'message')} sent")
    if unusable:
        click.echo(f"Error: {pluralise(unusable, 'unusable message')}, not sent", err=True)
        sys.exit(EXIT_UNUSABLE_INPUT)
